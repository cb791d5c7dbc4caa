"""Allocators that place the blocks of an attempt anew."""
