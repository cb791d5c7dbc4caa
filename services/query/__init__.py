"""Queries in SQL over the store: tables, allowed statements, and the process that runs them."""
