"""Pure functions from frames to frames: no files, no database, no Dash."""
