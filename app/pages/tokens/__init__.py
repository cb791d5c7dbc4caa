"""The page of a user's own tokens of the HTTP API."""
