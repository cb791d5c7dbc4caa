"""Acknowledgement of a regression: it counts as known until it becomes worse, or ends and occurs
again.
"""

from __future__ import annotations

import math

from services.baselines.members import BaselineError
from services.status.covered_series import covered_series
from services.status.regressions import find_regression, series_id
from services.status.rules import choose_rule
from services.status.status import StatusCache
from storage.acknowledgements import Acknowledgement, Acknowledgements
from storage.audit import Audit
from storage.repository import Repository
from storage.series import places

MAX_NOTE_CHARACTERS = 2_000
"""Maximum characters of the note of an acknowledgement."""


class AcknowledgeError(BaselineError):
    """A regression cannot be acknowledged as requested; the message is a sentence for the user."""


def acknowledge(
    status_cache: StatusCache,
    run_id: str,
    *,
    rule: str,
    note: str,
    user: str,
    within_s: float = math.inf,
) -> None:
    """Acknowledge the regression that contains a run, with a note; `user` is recorded in the audit
    log.

    No comparison begins after `within_s` seconds; runs without a verdict then count as not
    regressed. Raises AcknowledgeError if the note is too long or the key is not in a regression
    that contains the run, RuleError if the rule does not exist, and RunNotFound.
    """
    if len(note) > MAX_NOTE_CHARACTERS:
        raise AcknowledgeError(f"a note must have at most {MAX_NOTE_CHARACTERS} characters")
    repository = status_cache.repository
    chosen = choose_rule(repository.catalogue, rule)
    run_id = repository.find_run(run_id).run_id
    judged_keys = status_cache.judged_keys(
        chosen, _likenesses(repository, run_id), members_only=True, within_s=within_s
    )
    for key, runs in judged_keys.items():
        regression = find_regression(runs)
        verdicts = (
            [judged.verdict for judged in regression.runs if judged.run.run_id == run_id]
            if regression
            else []
        )
        # A run that was captured several times has several verdicts; the newest counts.
        verdict = verdicts[-1] if verdicts else None
        if verdict is not None and verdict.verdict == "regressed":
            place = (
                chosen.name,
                series_id(key),
                run_id,
                verdict.date,
                verdict.metric,
                verdict.value,
            )
            Acknowledgements(repository.catalogue).put(
                Acknowledgement(*place, note=note, changed_by=user)
            )
            Audit(repository.catalogue).add(
                user, "status.acknowledge", run_id, f"{chosen.name}: {note}"
            )
            return
    raise AcknowledgeError(
        f"run {run_id} is not part of a regression of its key by rule {chosen.name!r}"
    )


def withdraw_acknowledgement(
    status_cache: StatusCache, run_id: str, *, rule: str, user: str
) -> None:
    """Withdraw the acknowledgement by a rule for the key of a run.

    Raises AcknowledgeError if there is none, RuleError if the rule does not exist, and RunNotFound.
    """
    repository = status_cache.repository
    chosen = choose_rule(repository.catalogue, rule)
    run_id = repository.find_run(run_id).run_id
    series = covered_series(repository, chosen, _likenesses(repository, run_id))
    keys = [key for key, runs in series.items() if any(place.run_id == run_id for place in runs)]
    deleted = [
        Acknowledgements(repository.catalogue).delete(chosen.name, series_id(key)) for key in keys
    ]
    if not any(deleted):
        raise AcknowledgeError(
            f"the key of run {run_id} has no acknowledged regression by rule {chosen.name!r}"
        )
    Audit(repository.catalogue).add(user, "status.unacknowledge", run_id, chosen.name)


def _likenesses(repository: Repository, run_id: str) -> list[str]:
    """List the likeness of a run; empty if the run is damaged, as it then has none."""
    positions = places(repository.catalogue, [run_id]).values()
    return [position.likeness for position in positions if position.likeness]
