"""Safe reading of untrusted files: gzip, damaged JSON, pickles, and a process with resource
limits.
"""
