"""XLA: buffer assignments of compiled modules."""
