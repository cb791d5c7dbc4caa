"""The program page of a run: the compilation of its programs, down to their instructions."""
