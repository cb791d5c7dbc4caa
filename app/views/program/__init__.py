"""The views of what a compiler did to a program."""
