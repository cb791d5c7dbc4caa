"""The one schema: frames, diagnostics, settings of a run."""
