"""The tables of baseline rules, of what they say of runs and keys, and of who acknowledged a regression."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Float, Index, Integer, String, Table, Text

from storage.tables import METADATA

SETTLED = "retention"
"""Value of column `against` of verdicts that stay as they are, because retention deleted runs of their base."""

RULES = Table(
    "rules",
    METADATA,
    Column("name", String(100), primary_key=True),
    Column("last", Integer, nullable=False),
    Column("branch", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("hwid", Text, nullable=False),
    Column("gemm_m", BigInteger, key="M"),
    Column("gemm_k", BigInteger, key="K"),
    Column("gemm_n", BigInteger, key="N"),
    Column("changed_at", String(40), nullable=False),
)
"""Baselines of all keys at once: the `last` so many older runs of a run's key, on `branch` ("": on any).

`source`, `hwid` ("": any), M, K and N (null: any) are those of the runs that the rule is about.
"""

RULE_VERDICTS = Table(
    "rule_verdicts",
    METADATA,
    Column("rule", String(100), primary_key=True),
    Column("run_id", String(64), primary_key=True),
    Column("date", String(40), primary_key=True),
    Column("prefix", String(255), nullable=False),
    Column("against", String(64), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("metric", String(64), nullable=False),
    Column("value", Float),
    Column("base", Float),
    Column("relative", Float),
    Column("main", Float),
)
"""The verdict of a rule about a run of a date, by the thresholds of the gate.

It holds while the run has this `prefix`, and `against` is a hash of the content of its base or is `SETTLED`. `value`,
`base` and `relative` are of `metric`, `main` is the number of the run that its key is followed by.
"""

KEY_STATUS = Table(
    "key_status",
    METADATA,
    Column("rule", String(100), primary_key=True),
    Column("likeness", String(32), primary_key=True),
    Column("made_by", String(64), nullable=False),
    Column("keys", JSON, nullable=False),
)
"""What the status of a rule needs of the keys whose runs have a `likeness`, see `services.status.key_tail`.

Every change of a run takes the rows of its likeness out (`storage.listing`). `made_by` names the rules of the analysis
and the gate that it was made by.
"""
Index("ix_key_status_likeness", KEY_STATUS.c.likeness)

ACKNOWLEDGEMENTS = Table(
    "acknowledgements",
    METADATA,
    Column("rule", String(100), primary_key=True),
    Column("series", String(64), primary_key=True),
    Column("run_id", String(64), nullable=False),
    Column("date", String(40), nullable=False),
    Column("metric", String(64), nullable=False),
    Column("value", Float),
    Column("note", Text, nullable=False),
    Column("changed_by", Text, nullable=False),
    Column("changed_at", String(40), nullable=False),
)
"""The regression of a key (`series` is a hash of it) that somebody acknowledged last, at a run and its date.

`value` of `metric` is what it had fallen to then.
"""
