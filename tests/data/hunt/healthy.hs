-- Works for a second or so on what it forgets again.
module Main (main) where

import Data.List (foldl', sort)

work :: Int -> Int
work n = foldl' (+) 0 (take 50 (sort [(n * k) `mod` 1009 | k <- [1 .. 1000]]))

main :: IO ()
main = print (foldl' (\total n -> total + work n) 0 [1 .. 4000])
