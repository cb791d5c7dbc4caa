import json
import logging

import pytest

from app.server.logs import JsonLines, TextLines

HOSTILE = "/x\nERROR tilescope: forged\r\x1b[2J\x00\u2028\u202e"


def record(message, error=None):
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("tilescope", logging.ERROR, "", 0, "%s failed", (message,), info)


@pytest.mark.parametrize("lines", [TextLines(), JsonLines()])
def test_a_message_is_one_line_whatever_clients_send(lines):
    written = lines.format(record(HOSTILE))
    assert written.isprintable()


def test_what_an_exception_says_begins_no_line():
    try:
        raise ValueError(HOSTILE)
    except ValueError as error:
        first, *more = TextLines().format(record("a", error)).splitlines()
    assert first == "ERROR tilescope: a failed"
    assert more
    assert all(line.startswith("    ") for line in more)


def test_json_holds_the_message_as_it_was():
    assert json.loads(JsonLines().format(record(HOSTILE)))["message"] == f"{HOSTILE} failed"
