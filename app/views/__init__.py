"""The views of a run's page: how each is drawn, and what a click on it changes."""
