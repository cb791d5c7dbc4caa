"""Schema shared by all packages: frames, sources, metrics, settings of a run and diagnostics."""
