"""Export of a run as a trace for Perfetto."""
