"""Baseline rules: set, looked up and deleted. Rules and baselines share one name space."""

from __future__ import annotations

from schema.command import COMMAND
from schema.comparison import MAX_RUNS
from schema.plurals import plural
from services.baselines.members import BaselineError, check_baseline_name, has_dot_part
from storage.audit import Audit
from storage.baselines import Baselines
from storage.catalogue import Catalogue
from storage.repository import Repository
from storage.rules import SCOPE, Rule, Rules

_MAX_TEXT_CHARACTERS = 200
"""Maximum characters of branch, source or hwid of a rule."""
_MAX_SIZE = 2**31 - 1
"""Maximum of M, K and N in a rule."""
NO_RULE = f"there is no baseline rule; set one: {COMMAND} baseline rule set nightly --last 10 --branch main"
"""Error message if there is no baseline rule."""


class RuleError(BaselineError):
    """A rule is invalid or does not exist; the message is a sentence for the user."""


def set_rule(repository: Repository, rule: Rule, user: str) -> Rule:
    """Store a rule, replace the rule of the same name, and return it.

    Raises RuleError if the rule is invalid or a baseline has the name. The audit log has `user`.
    """
    check_baseline_name(rule.name)
    if not 1 <= rule.last <= MAX_RUNS:
        raise RuleError(f"a rule must have a number of runs from 1 to {MAX_RUNS}")
    texts = {"branch": rule.branch, "source": rule.source, "hwid": rule.hwid}
    for name, text in texts.items():
        if len(text) > _MAX_TEXT_CHARACTERS or not (text.isprintable() or not text):
            raise RuleError(
                f"the {name} of a rule must have at most {_MAX_TEXT_CHARACTERS} printable characters"
            )
    for name in ("M", "K", "N"):
        size = getattr(rule, name)
        if size is not None and not 1 <= size <= _MAX_SIZE:
            raise RuleError(f"the {name} of a rule must be a number from 1 to {_MAX_SIZE}")
    repository.catalogue.create()
    # `check --baseline NAME` accepts both, so that a name must be unique among them.
    if any(baseline.name == rule.name for baseline in Baselines(repository.catalogue).all()):
        raise RuleError(f"{rule.name!r} is the name of a baseline")
    # Clients remove such parts from an address; an old rule with one can still be changed.
    if has_dot_part(rule.name) and Rules(repository.catalogue).find(rule.name) is None:
        raise RuleError("a rule's name must not have a part '.' or '..' between slashes")
    Rules(repository.catalogue).set(rule)
    Audit(repository.catalogue).add(user, "rule.set", rule.name, rule_text(rule))
    return rule


def delete_rule(repository: Repository, name: str, user: str) -> None:
    """Delete a rule and its acknowledgements; runs are unchanged. Raises RuleNotFound if there is
    no such rule.
    """
    Rules(repository.catalogue).delete(name)
    Audit(repository.catalogue).add(user, "rule.delete", name)


def choose_rule(catalogue: Catalogue, name: str = "") -> Rule:
    """Return a rule by its name; "" for the only rule.

    Raises RuleError if it does not exist, or if "" is ambiguous.
    """
    rules = Rules(catalogue).all()
    names = ", ".join(rule.name for rule in rules)
    if not rules:
        raise RuleError(f"there is no baseline rule {name!r}: {NO_RULE}" if name else NO_RULE)
    if not name and len(rules) > 1:
        raise RuleError(f"there are several baseline rules, name one: {names}")
    match = next((rule for rule in rules if name in ("", rule.name)), None)
    if match is None:
        raise RuleError(f"there is no baseline rule {name!r}; there are {names}")
    return match


def rule_text(rule: Rule) -> str:
    """Describe the runs of a rule in words, such as `the last 10 older runs of each key on branch
    main, of M 64`.
    """
    about = [
        f"{name} {getattr(rule, name)}" for name in SCOPE if getattr(rule, name) not in ("", None)
    ]
    branch = f" on branch {rule.branch}" if rule.branch else ""
    runs = "older run" if rule.last == 1 else plural(rule.last, "older run")
    return f"the last {runs} of each key{branch}{', of ' if about else ''}{', '.join(about)}"
