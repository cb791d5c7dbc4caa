"""Components of the page of SQL queries: the grid and the chart of a result."""
