"""Alerts: who is told when the status of a key changes, through which channel, and how messages get there."""
