"""The tests of Hansang; the folders mirror those of `src/hansang`."""
