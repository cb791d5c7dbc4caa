"""A run as a trace that Perfetto opens: slices, counters and markers, as JSON trace events or TrackEvent protobuf."""
