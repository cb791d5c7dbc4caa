"""AMD AIE: hardware traces of GEMM runs."""
