"""Requests that may take long are answered in processes of their own, so that the others never wait for them."""
