"""Stand-in for the REST APIs of GitHub and GitLab: a repository with pull requests and issues.

Responses have the members, statuses and headers of the real servers that Tilescope reads. Failures
are planned: each request takes the next entry of `plan`.
"""

import http.server
import json
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "token-of-the-stand-in"  # noqa: S105 - of tests alone
PASS, CUT = "pass", "cut"
"""Entries of a plan: a request as usual, and a request that is done but has no response."""


@dataclass
class Repository:
    """The content of a repository; `pulls` maps numbers to (state, commits)."""

    name: str
    archived: bool = False
    has_issues: bool = True
    drops_labels: bool = False
    pulls: dict = field(default_factory=dict)
    issues: list = field(default_factory=list)
    comments: dict = field(default_factory=dict)

    def bodies(self, number):
        """List the texts of the comments of a pull request or an issue, oldest first."""
        return [comment["body"] for comment in self.comments.get(number, [])]


class RefusalError(Exception):
    """A request that gets an error response."""

    def __init__(self, status, message, headers=None):
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers or {}


class CodeHostServer(http.server.ThreadingHTTPServer):
    """Serves one repository; `page` is the maximum size of a page, `log` has method and path. With
    `drops_links` lists have no Link header, as behind some proxies.
    """

    daemon_threads = True

    def __init__(self, repository):
        self.repository, self.plan, self.log, self.page = repository, [], [], 100
        self.drops_links = False
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), self._handler())

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server_port}{self.prefix}"

    @property
    def writes(self):
        """List the requests that changed something."""
        return [(method, path) for method, path in self.log if method != "GET"]

    def handle_error(self, request, client_address):
        """Do not report clients that disconnect."""

    def new_number(self):
        """Return the next number; pulls and issues share their numbers, as on GitHub."""
        return (
            max([0, *self.repository.pulls, *(one["number"] for one in self.repository.issues)]) + 1
        )

    def add_comment(self, number, body):
        """Add a comment as a person does, or the API."""
        every = [one["id"] for found in self.repository.comments.values() for one in found]
        comment = {"id": max([1000, *every]) + 1, "body": body}
        self.repository.comments.setdefault(number, []).append(comment)
        return comment

    def add_issue(self, title, body, labels):
        """Add an issue as a person does, or the API."""
        kept = [] if self.repository.drops_labels else [*labels]
        issue = {"number": self.new_number(), "title": title, "body": body, "labels": kept}
        self.repository.issues.append(issue | {"is_open": True})
        return self.repository.issues[-1]

    def issue(self, number):
        """Find an issue by its number."""
        found = [one for one in self.repository.issues if one["number"] == number]
        if not found:
            raise RefusalError(404, "Not Found")
        return found[0]

    def listed(self, items, query):
        """Return a page of a list, and its Link header."""
        size = min(int(query.get("per_page", "30")), self.page)
        page = int(query.get("page", "1"))
        end = page * size
        link = f'<http://elsewhere.example.org/?page={page + 1}>; rel="next"'
        has_link = len(items) > end and not self.drops_links
        return items[end - size : end], {"Link": link} if has_link else {}

    def respond(self, method, path, query, headers, content):
        """Carry out a request; return (status, content, headers)."""
        self.check_token(headers)
        for verb, form, operation in self.routes:
            found = re.fullmatch(form, path)
            if verb == method and found:
                if unquote(found["repo"]) != self.repository.name:
                    raise RefusalError(404, self.missing)
                if self.repository.archived and method != "GET":
                    raise RefusalError(403, "Repository was archived so is read-only.")
                parts = {name: text for name, text in found.groupdict().items() if name != "repo"}
                return getattr(self, operation)(query=query, content=content, **parts)
        raise RefusalError(404, "Not Found")

    def _handler(self):
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_args):
                pass

            def handle_any(self):
                length = int(self.headers.get("Content-Length") or 0)
                content = json.loads(self.rfile.read(length) or b"{}")
                parts = urlsplit(self.path)
                query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
                path = parts.path.removeprefix(server.prefix)
                with server.lock:
                    server.log.append((self.command, path))
                    step = server.plan.pop(0) if server.plan else PASS
                    try:
                        if isinstance(step, RefusalError):
                            raise step
                        result = server.respond(self.command, path, query, self.headers, content)
                    except RefusalError as error:
                        result = (error.status, {"message": error.message}, error.headers)
                if step == CUT:
                    self.close_connection = True
                    return
                status, body, headers = result
                data = json.dumps(body).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

        for method in ("GET", "POST", "PATCH", "PUT"):
            setattr(Handler, f"do_{method}", Handler.handle_any)
        return Handler


class GitHubServer(CodeHostServer):
    """The API of GitHub Enterprise, which has a path before that of api.github.com."""

    prefix = "/api/v3"
    missing = "Not Found"
    _repo = r"/repos/(?P<repo>[^/]+/[^/]+)"
    routes = (
        ("GET", _repo, "read"),
        ("GET", rf"{_repo}/commits/(?P<commit>[^/]+)/pulls", "list_pulls"),
        ("GET", rf"{_repo}/issues", "list_issues"),
        ("POST", rf"{_repo}/issues", "create_issue"),
        ("PATCH", rf"{_repo}/issues/(?P<number>\d+)", "update_issue"),
        ("GET", rf"{_repo}/issues/(?P<number>\d+)/comments", "list_comments"),
        ("POST", rf"{_repo}/issues/(?P<number>\d+)/comments", "create_comment"),
        ("PATCH", rf"{_repo}/issues/comments/(?P<comment>\d+)", "update_comment"),
    )

    def check_token(self, headers):
        if headers.get("Authorization") != f"Bearer {TOKEN}":
            raise RefusalError(401, "Bad credentials")

    def read(self, **_):
        found = self.repository
        return 200, {"archived": found.archived, "has_issues": found.has_issues}, {}

    def list_pulls(self, commit, query, **_):
        known = {one for _, commits in self.repository.pulls.values() for one in commits}
        if commit not in known:
            raise RefusalError(422, f"No commit found for SHA: {commit}")
        pulls = [
            {
                "number": number,
                "state": "open" if state == "open" else "closed",
                "merged_at": "2026-11-01T00:00:00Z" if state == "merged" else None,
            }
            for number, (state, commits) in self.repository.pulls.items()
            if commit in commits
        ]
        items, headers = self.listed(pulls, query)
        return 200, items, headers

    def list_issues(self, query, **_):
        if not self.repository.has_issues:
            raise RefusalError(410, "Issues has been disabled in this repository.")
        pulls = [
            {"number": number, "title": "a pull", "body": None, "state": "open", "pull_request": {}}
            for number in self.repository.pulls
        ]
        found = [*pulls, *map(self._shown, self.repository.issues)]
        if "labels" in query:
            found = [one for one in found if {"name": query["labels"]} in one.get("labels", [])]
        if query.get("state") != "all":
            found = [one for one in found if one["state"] == "open"]
        # GitHub lists the newest first unless another direction is given.
        found.sort(key=lambda one: one["number"], reverse=query.get("direction") != "asc")
        items, headers = self.listed(found, query)
        return 200, items, headers

    def create_issue(self, content, **_):
        if not self.repository.has_issues:
            raise RefusalError(410, "Issues has been disabled in this repository.")
        _check_length(content["title"], 256)
        _check_length(content["body"], 65_536)
        return 201, self._shown(self.add_issue(**content)), {}

    def update_issue(self, number, content, **_):
        issue = self.issue(int(number))
        issue |= {name: content[name] for name in ("title", "body") if name in content}
        if "state" in content:
            issue["is_open"] = content["state"] == "open"
        return 200, self._shown(issue), {}

    def list_comments(self, number, query, **_):
        items, headers = self.listed(self.repository.comments.get(int(number), []), query)
        return 200, items, headers

    def create_comment(self, number, content, **_):
        _check_length(content["body"], 65_536)
        return 201, self.add_comment(int(number), content["body"]), {}

    def update_comment(self, comment, content, **_):
        for comments in self.repository.comments.values():
            for one in comments:
                if one["id"] == int(comment):
                    one["body"] = content["body"]
                    return 200, one, {}
        raise RefusalError(404, "Not Found")

    def _shown(self, issue):
        return {
            **{name: issue[name] for name in ("number", "title", "body")},
            "labels": [{"name": label} for label in issue["labels"]],
            "state": "open" if issue["is_open"] else "closed",
        }


class GitLabServer(CodeHostServer):
    """The API of GitLab: projects by their encoded paths, merge requests and notes."""

    prefix = "/api/v4"
    missing = "404 Project Not Found"
    _repo = r"/projects/(?P<repo>[^/]+)"
    _thread = r"(?P<kind>issues|merge_requests)/(?P<number>\d+)/notes"
    routes = (
        ("GET", _repo, "read"),
        ("GET", rf"{_repo}/repository/commits/(?P<commit>[^/]+)/merge_requests", "list_pulls"),
        ("GET", rf"{_repo}/issues", "list_issues"),
        ("POST", rf"{_repo}/issues", "create_issue"),
        ("PUT", rf"{_repo}/issues/(?P<number>\d+)", "update_issue"),
        ("GET", rf"{_repo}/{_thread}", "list_comments"),
        ("POST", rf"{_repo}/{_thread}", "create_comment"),
        ("PUT", rf"{_repo}/{_thread}/(?P<comment>\d+)", "update_comment"),
    )

    def check_token(self, headers):
        if headers.get("PRIVATE-TOKEN") != TOKEN:
            raise RefusalError(401, "401 Unauthorized")

    def read(self, **_):
        access = "enabled" if self.repository.has_issues else "disabled"
        return 200, {"archived": self.repository.archived, "issues_access_level": access}, {}

    def list_pulls(self, commit, query, **_):
        known = {one for _, commits in self.repository.pulls.values() for one in commits}
        if commit not in known:
            raise RefusalError(404, "404 Commit Not Found")
        states = {"open": "opened"}
        pulls = [
            {"iid": number, "state": states.get(state, state)}
            for number, (state, commits) in self.repository.pulls.items()
            if commit in commits
        ]
        items, headers = self.listed(pulls, query)
        return 200, items, headers

    def list_issues(self, query, **_):
        found = [*map(self._shown, self.repository.issues)]
        if "labels" in query:
            found = [one for one in found if query["labels"] in one["labels"]]
        found.sort(key=lambda one: one["iid"], reverse=query.get("sort", "desc") == "desc")
        items, headers = self.listed(found, query)
        return 200, items, headers

    def create_issue(self, content, **_):
        _check_length(content["title"], 255)
        made = self.add_issue(content["title"], content["description"], [content["labels"]])
        return 201, self._shown(made), {}

    def update_issue(self, number, content, **_):
        issue = self.issue(int(number))
        issue |= {"title": content["title"], "body": content["description"]}
        if "state_event" in content:
            issue["is_open"] = content["state_event"] == "reopen"
        return 200, self._shown(issue), {}

    def list_comments(self, kind, number, query, **_):
        found = self.repository.comments.get(int(number), [])
        ordered = found if query.get("sort") == "asc" else found[::-1]
        items, headers = self.listed(ordered, query)
        return 200, items, headers

    def create_comment(self, kind, number, content, **_):
        return 201, self.add_comment(int(number), content["body"]), {}

    def update_comment(self, kind, number, comment, content, **_):
        for one in self.repository.comments.get(int(number), []):
            if one["id"] == int(comment):
                one["body"] = content["body"]
                return 200, one, {}
        raise RefusalError(404, "404 Not found")

    def _shown(self, issue):
        return {
            "iid": issue["number"],
            "title": issue["title"],
            "description": issue["body"],
            "labels": issue["labels"],
            "state": "opened" if issue["is_open"] else "closed",
        }


def _check_length(text, most):
    if len(text) > most:
        raise RefusalError(422, f"is too long (maximum is {most} characters)")


@contextmanager
def serving(kind, name="team/kernels"):
    """Context with a running stand-in; `kind` is github or gitlab."""
    with {"github": GitHubServer, "gitlab": GitLabServer}[kind](Repository(name)) as server:
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        yield server
        server.shutdown()
