"""Settings of the installation, and paths of the project's own files."""
