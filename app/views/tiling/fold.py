"""The fold of the views of a single operator, below the views of the whole plan."""

FOLD = "One operator: buffering, choices of a tiling, measured tiles"
"""Line of the fold."""
