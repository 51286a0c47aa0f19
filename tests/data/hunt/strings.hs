-- Remembers the text of every page that it fetches, in pinned memory.
module Main (main) where

import Control.Monad
import qualified Data.ByteString.Char8 as B
import Data.IORef
import qualified Data.Map.Strict as M

fetch :: Int -> B.ByteString
fetch n = B.replicate (4000 + n `mod` 10) 'x'

remember :: IORef (M.Map Int B.ByteString) -> Int -> IO ()
remember cache n = do
  let page = fetch n
  B.length page `seq` modifyIORef' cache (M.insert n page)

churn :: Int -> Int
churn n = sum (map (`mod` 7) [n .. n + 20000])

main :: IO ()
main = do
  cache <- newIORef M.empty
  forM_ [1 ..] $ \n -> do
    remember cache n
    when (churn n == 3) $ print n
