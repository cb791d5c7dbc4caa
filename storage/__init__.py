"""The run catalogue, the frame store and the ingest that fills both."""
