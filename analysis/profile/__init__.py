"""Analysis of profiles: kernels by program, rates, levels of the timeline, markers, search, counters."""
