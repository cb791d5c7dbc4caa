"""The table of rights: an action, the lowest role that may do it, and its operations of the API."""

from __future__ import annotations

from dataclasses import dataclass

from schema.roles import Role


@dataclass(frozen=True)
class Right:
    """An action that `role` and all higher roles may do; `operations` are its `METHOD /path` of the API.

    `needs_person` is true if the action requires a user who is signed in.
    """

    words: str
    role: Role
    operations: tuple[str, ...] = ()
    needs_person: bool = False


RIGHTS: tuple[Right, ...] = (
    Right("see whether the server is healthy, and its metrics", Role.NOBODY),
    Right("read a badge or panel by its signed address", Role.NOBODY),
    Right(
        "read runs, comparisons, status, trends and jobs, and export them",
        Role.VIEWER,
        (
            "GET /runs",
            "GET /runs/<run_id>",
            "GET /runs/<run_id>/frames",
            "GET /runs/<run_id>/frames/<frame>",
            "GET /runs/<run_id>/pace",
            "GET /runs/<run_id>/advice",
            "GET /runs/<run_id>/memory",
            "GET /runs/<run_id>/breakdown",
            "GET /runs/<run_id>/idle",
            "GET /runs/<run_id>/ops",
            "GET /runs/<run_id>/ranks",
            "GET /runs/<run_id>/design",
            "GET /runs/<run_id>/predict",
            "GET /runs/<run_id>/kept",
            "GET /check",
            "GET /plugins",
            "GET /rules",
            "GET /status",
            "GET /bisections",
            "GET /bisections/<bisection_id>",
            "GET /jobs",
            "GET /jobs/<job_id>",
            "GET /views",
            "GET /me",
            "HEAD /uploads/<upload_id>",
        ),
    ),
    Right(
        "query runs in SQL, and read the saved queries",
        Role.VIEWER,
        ("POST /query", "GET /query/tables", "GET /queries"),
    ),
    Right("search placements in the lab, one search at a time", Role.VIEWER),
    Right("create API tokens of their own, up to their role", Role.VIEWER, needs_person=True),
    Right(
        "upload files, and cancel uploads",
        Role.EDITOR,
        (
            "POST /runs",
            "POST /uploads",
            "PATCH /uploads/<upload_id>",
            "DELETE /uploads/<upload_id>",
            "POST /uploads/<upload_id>/finish",
            "POST /uploads/finish",
        ),
    ),
    Right(
        "change notes, tags and pins of runs, and delete runs that are not pinned",
        Role.EDITOR,
        ("PATCH /runs/<run_id>", "DELETE /runs/<run_id>"),
    ),
    Right(
        "set baselines and rules, acknowledge regressions, start bisections",
        Role.EDITOR,
        (
            "PUT /rules/<text:name>",
            "DELETE /rules/<text:name>",
            "PUT /status/<run_id>/acknowledgement",
            "DELETE /status/<run_id>/acknowledgement",
            "POST /bisections",
            "POST /bisections/<bisection_id>/skip",
        ),
    ),
    Right(
        "save and delete views, queries and placements",
        Role.EDITOR,
        (
            "POST /views",
            "DELETE /views/<view_id>",
            "POST /queries",
            "DELETE /queries/<query_id>",
            "DELETE /runs/<run_id>/kept/<number>",
        ),
    ),
    Right(
        "begin, cancel and resume jobs",
        Role.EDITOR,
        ("POST /jobs", "DELETE /jobs/<job_id>", "POST /jobs/<job_id>/resume"),
    ),
    Right("sign addresses of badges and panels", Role.EDITOR, ("POST /embeds",)),
    Right(
        "set alerts, and send their messages again",
        Role.ADMIN,
        (
            "GET /alerts",
            "PUT /alerts/<text:name>",
            "DELETE /alerts/<text:name>",
            "POST /alerts/<text:name>/test",
            "GET /deliveries",
            "POST /deliveries/<delivery_id>/retry",
        ),
    ),
    Right(
        "create and revoke the tokens of all users",
        Role.ADMIN,
        ("GET /tokens", "POST /tokens", "DELETE /tokens/<token_id>"),
    ),
    Right(
        "delete old runs by retention, see the state of store and backups",
        Role.ADMIN,
        ("POST /retention", "GET /admin", "GET /backups"),
    ),
    Right("read the audit log", Role.ADMIN, ("GET /audit",)),
)
"""All rights, by the lowest role that has them."""
