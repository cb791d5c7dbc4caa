"""Jobs: work on many files or runs. Their state is in the catalogue, so that it survives the
process that does the work.
"""
