"""Numbers over time: series of runs, their steps and dips, and the cache of both."""
