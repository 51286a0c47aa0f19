{-# OPTIONS_GHC -fno-prof-auto #-} -- As a library.
module Data.HashMap.Strict (module Data.Map.Strict, HashMap) where
import Data.Map.Strict
type HashMap = Map
