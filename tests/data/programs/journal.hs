-- A journal of lines that nobody reads before the end. The work is fixed.
module Main (main) where

import Control.Monad
import Data.IORef
import System.Environment

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  journal <- newIORef []
  forM_ [1 .. n :: Int] $ \i -> do
    let line = "request " ++ show i ++ ": " ++ show (length (filter even (map (* i) [1 .. 4000])))
    length line `seq` modifyIORef' journal (line :)
  l <- readIORef journal
  print (length l, length (last l))
