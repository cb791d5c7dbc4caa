"""What can go wrong in the store; every message is one sentence for a person."""


class StorageError(Exception):
    """The catalogue or the frame store cannot be used.

    The message is for the one who runs the store and may name places; `public` is for a browser and names none.
    """

    def __init__(self, sentence: str, public: str = "The server's storage failed; its log says why.") -> None:
        super().__init__(sentence)
        self.public = public


class NotStored(StorageError):  # noqa: N818 - reads as what it says
    """There is nothing of this name; the sentence is for a browser too."""

    def __init__(self, sentence: str, public: str = "") -> None:
        super().__init__(sentence, public or sentence)


class RunNotFound(NotStored):
    """There is no such run, or the abbreviation stands for several."""


class FrameNotFound(NotStored):
    """The run has no such frame."""


class RunDamaged(StorageError):  # noqa: N818 - reads as what it says
    """What is stored of one run cannot be used; the others can."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, f"The server's storage failed: {sentence}.")


class BaselineNotFound(NotStored):
    """There is no baseline of this name."""


class RuleNotFound(NotStored):
    """There is no baseline rule of this name."""


class RunPinned(StorageError):  # noqa: N818 - reads as what it says
    """A run that is pinned cannot be deleted."""

    def __init__(self, run_id: str) -> None:
        sentence = f"run {run_id} is pinned; unpin to delete it"
        super().__init__(sentence, sentence)


class QuotaError(StorageError):
    """There may be no further row of a kind; the sentence is for a browser too."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, f"{sentence[:1].upper()}{sentence[1:]}.")


class AlertNotFound(NotStored):
    """There is no alert of this name, or no message of this id that was given up."""
