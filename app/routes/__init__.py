"""HTTP routes beside the pages; each module registers its own."""
