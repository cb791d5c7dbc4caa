"""Alerts: detection of changes in the status of keys, and delivery of messages by webhook, Slack
and mail.
"""
