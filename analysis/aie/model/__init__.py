"""Compare the predictions of a performance model with the measurements of a trace."""
