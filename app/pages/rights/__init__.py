"""The page of rights: which role may do what."""
