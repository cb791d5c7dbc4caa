"""ONNX Runtime: the profiles that a session writes with enable_profiling."""
