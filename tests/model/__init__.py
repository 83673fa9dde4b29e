"""Tests of the nouns; a package, because other rooms have tests of the same names."""
