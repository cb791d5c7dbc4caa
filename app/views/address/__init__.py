"""Addresses of pages: each field of a view state is declared once, and read and written from its declaration."""
