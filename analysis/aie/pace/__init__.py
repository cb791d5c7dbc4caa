"""What sets the pace of a capture: time of each core, what limits the rate, and what is gained without it."""
