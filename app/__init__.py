"""What runs: settings, command line, application factory, pages and HTTP routes."""
