"""`python -m tilescope_client`: the command `tilescope-client`."""

from tilescope_client.commands import main_exit

main_exit()
