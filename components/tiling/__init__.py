"""Plots, tables and captions of tilings: what operators hold in memory and move, and the
alternatives.
"""
