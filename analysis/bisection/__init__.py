"""Bisection: which commit of a range made a metric worse, from noisy runs of a few commits."""
