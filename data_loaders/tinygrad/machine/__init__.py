"""Decode machine code of compiled kernels: containers, instructions, basic blocks.

Runs in a child process.
"""
