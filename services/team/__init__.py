"""What people add: notes and tags, saved filters, tokens, sessions."""
