"""Views of tilings: operators of a plan, tile sizes of a GEMM on an array."""
