"""TPU-MLIR: local-memory logs of the LayerGroup pass, and what lies beside them."""
