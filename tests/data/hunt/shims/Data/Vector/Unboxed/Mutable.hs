{-# OPTIONS_GHC -fno-prof-auto #-} -- As a library.
module Data.Vector.Unboxed.Mutable where
import Prelude hiding (length, read)
import Data.Array.IO
import Data.Array.Base (getNumElements, unsafeRead, unsafeWrite)
import System.IO.Unsafe
type IOVector = IOUArray Int
new :: Int -> IO (IOVector Double)
new n = newArray (0, n - 1) 0
length :: IOVector Double -> Int
length = unsafePerformIO . getNumElements
write, w' :: IOVector Double -> Int -> Double -> IO ()
write = unsafeWrite
w' = write
read :: IOVector Double -> Int -> IO Double
read = unsafeRead
grow :: IOVector Double -> Int -> IO (IOVector Double)
grow v k = do { let { n = length v }; w <- new (n + k); mapM_ (\i -> unsafeRead v i >>= unsafeWrite w i) [0 .. n - 1]; return w }
