"""What can go wrong in the store; every message is one sentence for a person."""


class StorageError(Exception):
    """The catalogue or the frame store cannot be used."""


class RunNotFound(StorageError):  # noqa: N818 - reads as what it says
    """There is no such run, or the abbreviation stands for several."""


class FrameNotFound(StorageError):  # noqa: N818 - reads as what it says
    """The run has no such frame."""
