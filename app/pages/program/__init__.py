"""The program page of a run: what the compiler did to its programs, down to their instructions."""
