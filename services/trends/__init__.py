"""Numbers over time: series of runs, their steps and dips, and what is saved of them."""
