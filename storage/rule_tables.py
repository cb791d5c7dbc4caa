"""Tables of baseline rules, their verdicts about runs and keys, and acknowledged regressions."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Float, Index, Integer, String, Table, Text

from storage.tables import METADATA

SETTLED = "retention"
"""Value of column `against` of final verdicts: retention has deleted runs that they were compared
with.
"""

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
"""Baseline rules: a run is compared with the `last` older runs of its key on `branch` ("": any).

`source`, `hwid` ("": any), M, K and N (null: any) select the runs that the rule covers.
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
    Column("metric", Text, nullable=False),
    Column("value", Float),
    Column("base", Float),
    Column("relative", Float),
    Column("main", Float),
    Column("cause", JSON(none_as_null=True)),
)
"""The verdict of a rule about a run and date, by the thresholds of the gate.

It holds while the run has this `prefix`, and while `against` is a hash of the content that the run
is compared with, or is `SETTLED`. `value`, `base` and `relative` belong to `metric`; `main` is the
run's value of the metric that its key is tracked by. `cause` is the main cause of a change as
`Cause.record` writes it; null if no cause explains the change, and in verdicts of older releases.
"""

KEY_STATUS = Table(
    "key_status",
    METADATA,
    Column("rule", String(100), primary_key=True),
    Column("likeness", String(32), primary_key=True),
    Column("made_by", String(64), nullable=False),
    Column("keys", JSON, nullable=False),
)
"""Cached data for the status of a rule, per likeness of runs, see `services.status.key_tail`.

The rows of a likeness are deleted when a run with it changes (`storage.listing`). `made_by` is the
version of the analysis and of the gate that computed them.
"""
Index("ix_key_status_likeness", KEY_STATUS.c.likeness)

ACKNOWLEDGEMENTS = Table(
    "acknowledgements",
    METADATA,
    Column("rule", String(100), primary_key=True),
    Column("series", String(64), primary_key=True),
    Column("run_id", String(64), nullable=False),
    Column("date", String(40), nullable=False),
    Column("metric", Text, nullable=False),
    Column("value", Float),
    Column("note", Text, nullable=False),
    Column("changed_by", Text, nullable=False),
    Column("changed_at", String(40), nullable=False),
)
"""The latest acknowledged regression of a key (`series` is its hash), at a run and its date.

`value` is the value of `metric` at that run.
"""
