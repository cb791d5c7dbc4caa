"""Files of plain results: named numbers with unit and direction, without a trace."""
