"""The findings of a run's page lead to every attempt that they name."""

import re

from tests.support.tpu_log import attempt, buffer, log

FAILS = [buffer("a", None), buffer("b", 0)]
FITS = [buffer("a", 64), buffer("b", 0)]


def test_a_finding_about_several_attempts_has_a_link_to_each(dashboard, upload):
    text = log(attempt(FAILS), attempt(FITS), attempt(FAILS), attempt(FAILS))
    run = upload("lmem.log", text.encode()).json["runs"][0]["run_id"]
    found = re.findall(rf'"href": "/run/{run}\?attempt=(\d+)#map"', dashboard.open(f"/run/{run}"))
    assert found == ["0", "2", "3"]
