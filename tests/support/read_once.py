"""Data of runs that several tests only read: each is ingested once."""


def read_once(read, tmp_path_factory):
    """Return a function that calls `read(folder, *given, **named)` with a new folder at the first
    call with these arguments, and returns the same data at later calls.
    """
    data = {}

    def reader(*given, **named):
        key = repr((given, sorted(named.items())))
        if key not in data:
            data[key] = read(tmp_path_factory.mktemp("read"), *given, **named)
        return data[key]

    return reader
