"""Loaders of AMD AIE hardware traces of GEMM runs: Chrome trace-event JSON and raw trace words."""
