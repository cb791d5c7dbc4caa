"""The status page: the latest run of every key with the verdict of a baseline rule."""
