"""The page of queries in SQL: an editor, the tables, examples and saved queries, the answer as grid, chart and file."""
