"""Views of the lab: the problem, the placements found, and a picture of before and after."""
