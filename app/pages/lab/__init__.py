"""The page of the lab: placements of a run tried anew."""
