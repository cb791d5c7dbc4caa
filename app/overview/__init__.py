"""Overview of a store for operators, shared by page, command and API."""
