"""Recording of a large ingest as a job, so that its progress is visible elsewhere and it can be
cancelled there.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ingest.steps import ProgressListener
from storage.catalogue import Catalogue
from storage.errors import StorageError
from storage.jobs import CANCELLED, DONE, FAILED, Jobs
from storage.text import plain_text

INGEST = "ingest"
"""Kind of the jobs that a command runs itself, because the files are on its machine."""
MANY = 20
"""Minimum number of runs for which an ingest is recorded as a job."""
_BEAT_S = 2.0
"""Seconds between two heartbeats."""
_LOG = logging.getLogger(__name__)


class JobLog(ProgressListener):
    """Listener that passes events on to `steps`, and records them as a job if there are
    many runs.
    """

    def __init__(
        self, catalogue: Catalogue, user: str, steps: ProgressListener | None = None
    ) -> None:
        self._jobs = Jobs(catalogue)
        self._user = user
        self._steps = steps or ProgressListener()
        self._job_id = ""
        self._owner = secrets.token_hex(8)
        self._failed, self._goes_on, self._beat_at = False, True, 0.0

    def on_plan(self, names: Sequence[str]) -> None:
        """Create the job if there are at least MANY (20) runs."""
        self._steps.on_plan(names)
        if len(names) >= MANY:
            self._job_id = self._jobs.add(INGEST, names, self._user, {}, self._owner).job_id

    def on_begin(self, index: int) -> None:
        """Pass on to `steps` that a run begins."""
        self._steps.on_begin(index)

    def on_end(self, index: int, reason: str | None) -> bool:
        """Record the result of a file, failed if `reason` is not `None`; return False if the job
        was cancelled or `steps` stops the ingest.
        """
        self._failed |= reason is not None
        if self._job_id:
            outcome = (
                {"status": "failed", "reason": plain_text(reason)} if reason else {"status": "done"}
            )
            self._jobs.record(self._job_id, index, failed=reason is not None, answer=outcome)
            # A heartbeat is a write, so it is not made for each of many small files.
            if time.monotonic() - self._beat_at > _BEAT_S:
                self._goes_on = self._jobs.beat(self._job_id, self._owner)
                self._beat_at = time.monotonic()
        return self._steps.on_end(index, reason) and self._goes_on

    def close(self, error: BaseException | None = None) -> None:
        """Record how the job ended, if there is a job: cancelled (also by KeyboardInterrupt),
        failed if a file or the ingest failed, else done.

        An error of the store is only logged.
        """
        if not self._job_id:
            return
        state = CANCELLED if not self._goes_on or isinstance(error, KeyboardInterrupt) else DONE
        state = FAILED if state == DONE and (self._failed or error is not None) else state
        message = str(error) if isinstance(error, StorageError) else ""
        try:
            self._jobs.end(self._job_id, self._owner, state, message)
        except StorageError as failed:
            _LOG.warning("the end of the job could not be recorded: %s", failed)


@contextmanager
def closing_log(log: JobLog) -> Iterator[JobLog]:
    """Provide a log that is closed when the ingest ends, also by an exception."""
    try:
        yield log
    except BaseException as error:
        log.close(error)
        raise
    log.close()
