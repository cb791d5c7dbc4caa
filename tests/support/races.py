"""Calls at the same moment in several threads."""

import threading


def at_once(*things):
    """Call all functions at the same time; return the result or the exception of each, in their
    order.
    """
    ready, found = threading.Barrier(len(things)), [None] * len(things)

    def do(place, thing):
        ready.wait()
        try:
            found[place] = thing()
        except Exception as error:
            found[place] = error

    threads = [threading.Thread(target=do, args=pair) for pair in enumerate(things)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found
