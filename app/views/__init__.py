"""The views of a run: what each draws, and what a click on it does."""
