"""Keep an answer of the lab with its run, or take it off again; both are put down in the audit log."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from analysis.memory.allocators.fingerprint import fingerprint
from analysis.memory.allocators.problem import Problem
from services.lab.answers import LabAnswer
from services.lab.question import LabProblem
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.kept_answers import KeptAnswer, KeptAnswers, NewAnswer, TooManyAnswers
from storage.text import is_plain

MOST_KEPT = 20
LONGEST_TITLE = 100
_LONGEST_QUERY = 30_000
_MOST_STEPS = 200
"""Improvements that are kept of a search, the last ones."""


class KeepError(ValueError):
    """An answer that cannot be kept; the message is one sentence."""


@dataclass(frozen=True)
class Found:
    """A question, the problem that it poses, and what was found; `query` is the question on the page of the lab."""

    asked: LabProblem
    problem: Problem
    answer: LabAnswer
    query: str


def check_room(catalogue: Catalogue, run_id: str, more: int) -> None:
    """Raise KeepError where a run cannot keep so many more answers."""
    there = len(KeptAnswers(catalogue).heads(run_id))
    if there + more > MOST_KEPT:
        raise KeepError(f"a run keeps at most {MOST_KEPT} answers: it has {there}, and {more} would be added")


def keep_answer(catalogue: Catalogue, run_id: str, found: Found, title: str, user: str) -> KeptAnswer:
    """Keep an answer with a run, under a title or none; raises RunNotFound and KeepError."""
    answer = found.answer
    title = " ".join(title.split())
    if len(title) > LONGEST_TITLE or not title.isprintable() or not is_plain(title):
        raise KeepError(f"a title has at most {LONGEST_TITLE} printable characters")
    if answer.address is None or len(answer.address) != len(found.problem):
        raise KeepError("there is no placement to keep: solve the question first")
    if len(found.query) > _LONGEST_QUERY:
        raise KeepError(f"a question that is kept has at most {_LONGEST_QUERY} characters in its address")
    question, record = asdict(found.asked), asdict(replace(answer, trace=answer.trace[-_MOST_STEPS:]))
    del question["version"], record["address"]
    new = NewAnswer(title, found.query, question, fingerprint(found.problem), record, answer.address.tolist())
    try:
        kept = KeptAnswers(catalogue).add(run_id, new, user, MOST_KEPT)
    except TooManyAnswers as error:
        raise KeepError(f"a run keeps at most {MOST_KEPT} answers: remove one first") from error
    words = f"{kept.number}: {answer.strategy}" + (f", {title}" if title else "")
    Audit(catalogue).add(user, "answer.keep", run_id, words)
    return kept


def remove_answer(catalogue: Catalogue, run_id: str, number: int, user: str) -> bool:
    """Take a kept answer off a run; return False where there is none."""
    if not KeptAnswers(catalogue).delete(run_id, number):
        return False
    Audit(catalogue).add(user, "answer.remove", run_id, str(number))
    return True
