-- Reads its input, notes it in a file, and leaks for about a second: so slowly that samples of the heap stay cheap.
module Main (main) where

import Data.IORef
import Data.List (foldl')

main :: IO ()
main = do
  line <- getLine
  appendFile "heard" (line ++ "\n")
  putStrLn ("read: " ++ line)
  kept <- newIORef []
  mapM_ (\n -> let k = foldl' (+) n [1 .. 3000] in k `seq` modifyIORef' kept (k :)) [1 :: Int .. 200000]
  readIORef kept >>= print . length
