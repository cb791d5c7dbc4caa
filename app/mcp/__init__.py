"""The store for assistants: read-only tools of the Model Context Protocol, over HTTP and on stdin and stdout."""
