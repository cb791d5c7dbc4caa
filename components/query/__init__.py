"""What the page of queries in SQL shows: the grid and the chart of an answer, and the tables that may be asked."""
