"""The server: application factory, gunicorn, security."""
