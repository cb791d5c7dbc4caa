"""Figures, tables and texts of run comparisons, trends and the status."""
