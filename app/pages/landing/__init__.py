"""The landing page: keys that regressed lately, and the newest runs."""
