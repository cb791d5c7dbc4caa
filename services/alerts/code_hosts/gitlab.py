"""A project on GitLab, by its REST API (docs.gitlab.com/api/rest), also on a server of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from services.alerts.code_hosts.api_requests import PAGE_SIZE, ApiRequests, StatusError
from services.alerts.code_hosts.code_host import LABEL, Issue, Post, to_post
from services.alerts.errors import SendError

_OLDEST_FIRST = {"order_by": "created_at", "sort": "asc"}


def gitlab_headers(token: str) -> dict[str, str]:
    """Return the headers of a request with a token: personal, of a group or of a project."""
    return {"PRIVATE-TOKEN": token}


class GitLab:
    """See `CodeHost`; pull requests are named merge requests there, and comments notes."""

    def __init__(self, requests: ApiRequests) -> None:
        self._requests = requests
        self._path = f"/projects/{quote(requests.repository, safe='')}"

    def check(self, *, needs_issues: bool) -> None:
        """See `CodeHost`."""
        found = self._requests.get(self._path)
        if not isinstance(found, dict) or found.get("archived"):
            raise SendError(f"project {self._requests.repository} is archived")
        if needs_issues and found.get("issues_access_level") == "disabled":
            raise SendError(f"project {self._requests.repository} has issues disabled")

    def pull_requests(self, commit: str) -> list[int]:
        """See `CodeHost`."""
        path = f"{self._path}/repository/commits/{commit}/merge_requests"
        try:
            found = [*self._requests.items(path, {})]
        except StatusError as error:
            # A missing project has the same status.
            if error.status == 404 and "commit" in error.reply.lower():
                return []
            raise
        return [
            int(request["iid"]) for request in found if request.get("state") in ("opened", "merged")
        ]

    def pull_comments(self, number: int) -> Iterator[Post]:
        """See `CodeHost`."""
        return self._notes(f"{self._path}/merge_requests/{number}/notes")

    def add_pull_comment(self, number: int, body: str) -> None:
        """See `CodeHost`."""
        self._requests.send("POST", f"{self._path}/merge_requests/{number}/notes", {"body": body})

    def change_pull_comment(self, number: int, comment: int, body: str) -> None:
        """See `CodeHost`."""
        path = f"{self._path}/merge_requests/{number}/notes/{comment}"
        self._requests.send("PUT", path, {"body": body})

    def issues(self) -> Iterator[Issue]:
        """See `CodeHost`."""
        path = f"{self._path}/issues"
        labelled = {"labels": LABEL, "scope": "all", **_OLDEST_FIRST}
        yield from map(_issue, self._requests.items(path, labelled))
        newest = f"{path}?scope=all&order_by=created_at&sort=desc&per_page={PAGE_SIZE}"
        found = self._requests.get(newest)
        yield from map(_issue, found if isinstance(found, list) else [])

    def add_issue(self, title: str, body: str) -> int:
        """See `CodeHost`."""
        content = {"title": title, "description": body, "labels": LABEL}
        return int(self._requests.send("POST", f"{self._path}/issues", content)["iid"])

    def change_issue(self, number: int, title: str, body: str, *, is_open: bool | None) -> None:
        """See `CodeHost`."""
        content = {"title": title, "description": body}
        if is_open is not None:
            content["state_event"] = "reopen" if is_open else "close"
        self._requests.send("PUT", f"{self._path}/issues/{number}", content)

    def issue_comments(self, number: int) -> Iterator[Post]:
        """See `CodeHost`."""
        return self._notes(f"{self._path}/issues/{number}/notes")

    def add_issue_comment(self, number: int, body: str) -> None:
        """See `CodeHost`."""
        self._requests.send("POST", f"{self._path}/issues/{number}/notes", {"body": body})

    def _notes(self, path: str) -> Iterator[Post]:
        return map(to_post, self._requests.items(path, _OLDEST_FIRST))


def _issue(item: dict[str, Any]) -> Issue:
    return Issue(
        int(item["iid"]),
        str(item.get("description") or ""),
        str(item.get("title") or ""),
        item.get("state") == "opened",
    )
