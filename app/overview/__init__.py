"""The overview of a store for who operates it, as page, command and API have it: one record, and its words."""
