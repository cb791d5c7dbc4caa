"""The views of a run's page: their drawing, and their reaction to clicks."""
