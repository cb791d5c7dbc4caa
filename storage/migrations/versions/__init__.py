"""A module per revision, named by its number; `storage.versions` lists them."""
