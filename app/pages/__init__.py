"""The pages; each lays itself out from the context and its query."""
