"""Things that are done at the same moment."""

import threading


def at_once(*things):
    """Do all things at once and return what came of each, in their order: an answer or an exception."""
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
