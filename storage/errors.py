"""Errors of the store; every message is one sentence for a user."""


class StorageError(Exception):
    """The catalogue or the frame store cannot be used.

    The message is for the operator of the store and may contain addresses and paths; `public` is
    for browsers and contains neither.
    """

    def __init__(
        self,
        sentence: str,
        public: str = "The server's storage failed; the server log has the reason.",
    ) -> None:
        super().__init__(sentence)
        self.public = public


class NotStored(StorageError):  # noqa: N818 - reads as what it says
    """An object of this name does not exist; the message is suitable for browsers."""

    def __init__(self, sentence: str, public: str = "") -> None:
        super().__init__(sentence, public or sentence)


class RunNotFound(NotStored):
    """There is no such run, or several run ids begin with the given prefix."""


class FrameNotFound(NotStored):
    """The run has no frame of this name."""


class RunDamaged(StorageError):  # noqa: N818 - reads as what it says
    """The stored data of a run cannot be used; other runs are not affected."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, f"The server's storage failed: {sentence}.")


class BaselineNotFound(NotStored):
    """There is no baseline of this name."""


class RuleNotFound(NotStored):
    """There is no baseline rule of this name."""


class RunPinned(StorageError):  # noqa: N818 - reads as what it says
    """A pinned run cannot be deleted."""

    def __init__(self, run_id: str) -> None:
        sentence = f"run {run_id} is pinned; unpin it to delete it"
        super().__init__(sentence, sentence)


class QuotaError(StorageError):
    """A quota does not permit another row; the message is suitable for browsers."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, f"{sentence[:1].upper()}{sentence[1:]}.")


class AlertNotFound(NotStored):
    """There is no alert of this name, or no dead message of this id."""
