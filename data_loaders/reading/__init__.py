"""Safe reading of untrusted files: gzip, damaged JSON, pickles, processes with resource limits."""
