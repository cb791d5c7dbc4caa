"""Loader of the physical design of an AIE array: the MLIR of mlir-aie, without MLIR's libraries."""
