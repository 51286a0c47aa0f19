-- A type checker keeps what a parser makes in a map that is never emptied.
module Main (main) where
import Control.Concurrent (threadDelay)
import Control.Monad
import Data.IORef
import qualified Data.Map.Strict as M

data Decl = Decl { name :: !Int, body :: [Int] }

parse :: Int -> Decl
parse i = let b = [ i * k | k <- [1 .. 40] ] in sum b `seq` Decl i b

typecheck :: IORef (M.Map Int Decl) -> Decl -> IO Int
typecheck env d = do
  when (name d < 0) $ putStrLn "no"
  modifyIORef' env (M.insert (name d) d)
  return (length (body d))

work :: Int -> IO ()
work i = length (concatMap show [i .. i + 2000]) `seq` return ()

main :: IO ()
main = do
  env <- newIORef M.empty
  forM_ [1 .. 10000000] $ \i -> do
    n <- typecheck env (parse i)
    when (n < 0) (print n)
    work i
    threadDelay 1000
  readIORef env >>= print . M.size
