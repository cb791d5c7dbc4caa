"""Questions to the store in SQL: the tables, what may be asked, and the process that answers."""
