"""The server's log, and the id of a request in answers and lines."""

import json
import logging

import pytest

from app.server.logs import JsonLines, configure


@pytest.fixture
def own_logging():
    """Put the logging of the tests back afterwards."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    logging.captureWarnings(capture=False)
    root.handlers[:] = before
    root.setLevel(level)
    for name in ("tilescope", "tilescope.access"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def lines(capsys):
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_line_is_an_object_even_of_what_has_several_lines(own_logging, capsys):
    configure("json")
    try:
        raise ValueError("one\ntwo")
    except ValueError:
        logging.getLogger("tilescope").exception("it\nfailed %s", "x")
    (line,) = lines(capsys)
    assert (line["level"], line["logger"], line["message"]) == (
        "error",
        "tilescope",
        "it\nfailed x",
    )
    assert "ValueError" in line["exception"]
    assert line["time"].endswith("+00:00")


def test_warnings_are_lines_too(own_logging, capsys):
    configure("json")
    logging.getLogger("py.warnings").warning("old")
    assert lines(capsys)[0]["logger"] == "py.warnings"


def test_every_request_is_a_line_with_its_id_and_without_its_query(own_logging, capsys, dashboard):
    configure("json")
    answer = dashboard.get("/healthz?secret=1", headers={"X-Request-ID": "from-the-proxy.1"})
    assert answer.headers["X-Request-ID"] == "from-the-proxy.1"
    (line,) = [line for line in lines(capsys) if line["logger"] == "tilescope.access"]
    assert (line["request_id"], line["path"], line["status"]) == (
        "from-the-proxy.1",
        "/healthz",
        200,
    )
    assert "secret" not in json.dumps(line)
    assert line["seconds"] >= 0


def test_polls_of_pages_are_no_lines(own_logging, capsys, dashboard):
    configure("json")
    for path in ("/healthz", "/readyz"):
        dashboard.get(path, headers={"X-Tilescope-Poll": "1"})
    logged = [line for line in lines(capsys) if line["logger"] == "tilescope.access"]
    assert [line["path"] for line in logged] == ["/readyz"]


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, 'a"b', "ä"])
def test_an_id_that_is_none_is_replaced(dashboard, given):
    first = dashboard.get("/healthz", headers={"X-Request-ID": given}).headers["X-Request-ID"]
    assert first != given
    assert len(first) == 16


def test_text_is_quiet_about_requests(own_logging, capsys, dashboard):
    configure("text")
    dashboard.get("/healthz")
    assert capsys.readouterr().err == ""


def test_what_json_does_not_know_is_text():
    record = logging.LogRecord("x", logging.INFO, "", 0, "m", (), None)
    record.status = object()
    assert "object" in json.loads(JsonLines().format(record))["status"]
