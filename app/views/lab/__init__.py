"""Views of the lab: the problem, the placements found, before and after in one picture."""
