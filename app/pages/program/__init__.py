"""The page of a run's programs: what the compiler did to them, down to their instructions."""
