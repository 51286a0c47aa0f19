-- Takes 10 MiB of memory in a second from C, however busy the machine is, and forgets it there.
module Main (main) where

import Control.Concurrent (threadDelay)
import Data.Word (Word8)
import Foreign.Marshal.Alloc (mallocBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr)
import GHC.Clock (getMonotonicTime)

churn :: Int -> Int
churn n = sum (map (`mod` 7) [n .. n + 20000])

takeSince :: Double -> Int -> IO ()
takeSince before n = do
  threadDelay 8000
  now <- getMonotonicTime
  let size = round ((now - before) * 10 * 1024 * 1024)
  block <- mallocBytes size :: IO (Ptr Word8)
  fillBytes block (fromIntegral (churn n `mod` 256)) size
  takeSince now (n + 1)

main :: IO ()
main = getMonotonicTime >>= \start -> takeSince start 1
