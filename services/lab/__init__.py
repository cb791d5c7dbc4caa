"""The lab: searches for other placements, in processes of their own, with their results cached by
question.
"""
