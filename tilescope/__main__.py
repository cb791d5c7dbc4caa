"""Entry point of `python -m tilescope`."""

from tilescope.launcher import main

main()
