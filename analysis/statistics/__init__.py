"""Statistics of samples: intervals of ratios, corrections for many tests, change points."""
