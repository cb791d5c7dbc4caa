"""Addresses of pages: each field of a view state is declared once.

Parsing and writing follow the declaration.
"""
