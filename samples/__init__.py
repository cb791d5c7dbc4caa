"""Small captures, made by a model of a GEMM array; no module of the project is used here."""
