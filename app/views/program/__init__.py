"""Views of the compilation of a program."""
