"""The pages; each is laid out from the application context and the query of its address."""
