"""Read-only tools of the Model Context Protocol for assistants, over HTTP, stdin and stdout."""
