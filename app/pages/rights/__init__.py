"""The page of rights: the actions that each role may do."""
