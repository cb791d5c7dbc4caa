"""Loader for TPU-MLIR: local-memory logs of its LayerGroup pass, compiler profiles and modules."""
