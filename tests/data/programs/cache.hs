-- A cache that never evicts: an entry for each request, beside work that leaves nothing. The work is fixed.
module Main (main) where

import Control.Monad
import Data.IORef
import Data.List (foldl')
import qualified Data.Map.Strict as M
import System.Environment

page :: Int -> [Int]
page i = let p = map (* i) [1 .. 12] in sum p `seq` p

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  cache <- newIORef M.empty
  forM_ [1 .. n :: Int] $ \i -> do
    let work = foldl' (+) 0 (map (`mod` 7) (concatMap (\k -> [k, i]) [1 .. 3000]))
    work `seq` modifyIORef' cache (M.insert (i * 7919 `mod` 1000003) (page (i + work)))
  m <- readIORef cache
  print (M.size m, sum (map head (M.elems m)))
