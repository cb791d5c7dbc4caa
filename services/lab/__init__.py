"""The lab: allocations tried anew in processes of their own, and their answers kept by question."""
