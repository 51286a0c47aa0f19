-- Takes some 10 MiB of memory in a second from C, and forgets it there.
module Main (main) where

import Control.Concurrent (threadDelay)
import Control.Monad (forM_)
import Data.Word (Word8)
import Foreign.Marshal.Alloc (mallocBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr)

churn :: Int -> Int
churn n = sum (map (`mod` 7) [n .. n + 20000])

main :: IO ()
main = forM_ [1 ..] $ \n -> do
  let size = 100000
  block <- mallocBytes size :: IO (Ptr Word8)
  fillBytes block (fromIntegral (churn n `mod` 256)) size
  threadDelay 8000
