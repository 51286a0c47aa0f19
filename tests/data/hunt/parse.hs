-- A log analyser that remembers the last entry of each host: an entry keeps the whole line that it was
-- parsed from, and the table is never cut.
module Main (main) where

import Control.Monad
import Data.IORef
import qualified Data.Map as M

data Entry = Entry { stamp :: Int, message :: String }

parseEntry :: String -> Entry
parseEntry line = Entry (length line) (drop 20 line)

lastSeen :: IORef (M.Map Int Entry) -> Int -> Entry -> IO ()
lastSeen table host entry = modifyIORef' table (M.insert host entry)

logLine :: Int -> String
logLine n = "2026-11-22 12:00:00 " ++ replicate 40 'x' ++ show n

main :: IO ()
main = do
  table <- newIORef M.empty
  forM_ [1 ..] $ \n -> do
    let entry = parseEntry (logLine n)
    when (stamp entry `mod` 7 < 6) $ length (message entry) `seq` lastSeen table (n `div` 40) entry
    when (n `mod` 100000 == 0) $ readIORef table >>= print . M.size
