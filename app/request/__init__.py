"""Parts of a request: its user, its browser, its errors and its time limit."""
