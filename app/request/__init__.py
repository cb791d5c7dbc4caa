"""What one request carries: its user, its browser, its errors and its limit of time."""
