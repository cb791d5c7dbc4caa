"""The lab: a page that searches for other placements of a run."""
