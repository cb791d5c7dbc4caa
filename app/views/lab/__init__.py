"""Views of the lab: what is asked, what was found, before and after in one picture."""
