-- A top-level list that is never freed, filled now and then by a program that mostly waits.
module Main (main) where

import Control.Concurrent
import Control.Monad

collatz :: Int -> [Int]
collatz 1 = [1]
collatz n
  | even n = n : collatz (n `div` 2)
  | otherwise = n : collatz (3 * n + 1)

table :: [[Int]]
table = map collatz [1 ..]

main :: IO ()
main = forM_ [0 ..] $ \n -> do
  when (length (table !! n) == 0) $ print n
  threadDelay 10000
