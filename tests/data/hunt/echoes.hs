-- Reads its input, and leaks.
module Main (main) where

import Data.IORef

main :: IO ()
main = do
  line <- getLine
  putStrLn ("read: " ++ line)
  kept <- newIORef []
  mapM_ (\n -> modifyIORef' kept (n :)) [1 :: Int ..]
  readIORef kept >>= print . length
