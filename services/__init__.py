"""What a run has and what can be asked of it; page, command line and export call these. No Dash, Flask or click."""
