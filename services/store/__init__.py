"""The store as a whole: uploads, watched folders, lists, deletion, backups, and what people add to runs."""
