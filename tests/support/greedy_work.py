"""Functions for processes with limits, which another process imports."""

import os
import resource
import signal


def obey(task):
    """Do the task (word, number): allocate, keep or return MiB, kill or exit the process, read its
    limits, or loop for ever. Returns (number, process id), or the text or limits of the task.
    """
    word, number = task
    if word == "allocate":
        bytearray(number * 2**20)
    if word == "keep":
        KEPT.append(b"x" * (number * 2**20))
    if word == "return":
        return "x" * (number * 2**20)
    if word == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "exit":
        os._exit(number + 3)
    if word == "limits":
        return resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_FSIZE)
    while word == "spin":
        pass
    return number, os.getpid()


KEPT = []
"""Memory that a process does not give back between two tasks."""
