"""Logs of TPU-MLIR that are written and loaded as runs."""

from data_loaders.tpu_mlir.log import TpuMlirLoader

LOADER = TpuMlirLoader()


def codes(run):
    return {finding.code: finding.count for finding in run.diagnostics}
