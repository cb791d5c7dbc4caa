"""Plots and tables of tilings: what operators hold and move, and what else they could."""
