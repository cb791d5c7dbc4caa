"""Loader of ONNX Runtime profiles."""
