"""Files of every source, read into the frames of one schema."""
