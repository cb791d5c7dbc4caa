"""Views of profiles: kernels, programs, roofline, counters."""
