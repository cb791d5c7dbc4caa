"""What processes with limits do in tests of their limits: functions that another process imports."""

import os
import resource
import signal


def obey(task):
    """Do what a task (a word and a number) says; return its number, and the process that did it."""
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
