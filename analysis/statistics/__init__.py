"""Statistics of samples: intervals of ratios, families of tests, change points."""
