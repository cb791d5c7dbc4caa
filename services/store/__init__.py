"""The store as a whole: uploads, watched folders, lists, deletion, backups, and annotations of
runs.
"""
