-- Counters in a lazy map, whose sums nobody asks for: a thunk for each event. The work is fixed, so neither the
-- clock nor other programs change what it allocates.
module Main (main) where

import Control.Monad
import Data.IORef
import qualified Data.Map as M
import System.Environment

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  counters <- newIORef M.empty
  forM_ [1 .. n :: Int] $ \i -> do
    let work = length (filter even (map (* i) [1 .. 2000]))
    work `seq` modifyIORef counters (M.insertWith (+) (i `mod` 97) work)
    m <- readIORef counters
    M.size m `seq` return ()
  m <- readIORef counters
  print (sum (M.elems m))
