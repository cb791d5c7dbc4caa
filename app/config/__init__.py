"""Settings of the installation, and the project's own files."""
