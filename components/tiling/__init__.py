"""Plots, tables and captions of tilings: bytes that operators hold and move, and the
alternatives.
"""
