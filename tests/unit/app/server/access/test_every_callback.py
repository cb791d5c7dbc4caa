"""Every callback of the real server, whatever a viewer says was pressed, changes nothing that people share."""

import json

import pytest
from sqlalchemy import select

from services.lab.group_searches import GroupSearches
from services.lab.searches import Searches
from storage.audit import Audit
from storage.baselines import Baselines
from storage.jobs import Jobs
from storage.listing import CACHED_BY_LIKENESS
from storage.people_tables import LIMITS, SESSIONS, TOKENS
from storage.saved_placements import SavedPlacements
from storage.saved_texts import SavedViews
from storage.tables import METADATA
from tests.support.access import Team
from tests.support.kept import new_answer

OF_THE_SERVER = {
    TOKENS.name,
    SESSIONS.name,
    LIMITS.name,
    "checks",
    "alembic_version",
    "tilescope_version",
}
OF_THE_SERVER |= {table.name for table in CACHED_BY_LIKENESS}
"""Tables that reading writes too: the last use of a token, when a file was checked, what is kept of keys."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store with something of everything."""
    team = Team(tmp_path_factory.mktemp("team"))
    team.ids = team.runs(1, 2)
    team("PATCH", f"/runs/{team.ids[0]}", {"notes": "why", "tags": ["a"]})
    catalogue = team.served.catalogue
    SavedViews(catalogue).add("view", "mine", "hwid=npu2", "carol")
    SavedPlacements(catalogue).add(team.ids[0], new_answer(), "carol", 5)
    Baselines(catalogue).set("golden", [team.ids[0]], last=None, key=None)
    team.job = Jobs(catalogue).add("derive", [team.ids[0]], "carol", {}).job_id
    return team


@pytest.fixture
def searches(monkeypatch):
    """Return the list of searches that would have begun: their processes write no row of the catalogue."""
    begun = []
    for kind in (GroupSearches, Searches):
        monkeypatch.setattr(kind, "start", lambda self, *_: begun.append(type(self)))
    return begun


def stored(team):
    """Return every row of the catalogue that people share."""
    with team.served.catalogue.connect() as connection:
        return {
            table.name: sorted(map(str, connection.execute(select(table))))
            for table in METADATA.sorted_tables
            if table.name not in OF_THE_SERVER
        }


def values(team):
    """Return what inputs and states are given, one for all at a time."""
    one = {
        "run_id": team.ids[0],
        "name": "golden",
        "id": team.job,
        "action": "delete",
        "do": "delete",
        "view": "view",
    }
    yield from (
        1,
        True,
        "delete",
        "golden",
        "view",
        team.ids[0],
        team.job,
        "?hwid=npu2",
        [1],
        [team.ids[0]],
        ["golden"],
    )
    yield from (
        one,
        [one],
        {"ids": team.ids, "n": 1},
        {"runs": team.ids, "names": ["golden"]},
        None,
    )


def part(spec, value):
    """Return an input or state as the page sends it; an id that stands for several is sent as one of them."""
    if not spec["id"].startswith("{"):
        return {"id": spec["id"], "property": spec["property"], "value": value}
    pattern = json.loads(spec["id"])
    several = any(text in (["ALL"], ["ALLSMALLER"]) for text in pattern.values())
    own = {key: text if not isinstance(text, list) else "golden" for key, text in pattern.items()}
    sent = {"id": own, "property": spec["property"], "value": value}
    return [sent] if several else sent


def output(text):
    def one(name):
        owner, _, prop = name.rpartition(".")
        return {
            "id": json.loads(owner) if owner.startswith("{") else owner,
            "property": prop.split("@")[0],
        }

    return (
        [one(name) for name in text.strip(".").split("...")] if text.startswith("..") else one(text)
    )


def send(team, spec, value, scope, changed):
    """Send a callback whose input `changed` (its rank) the viewer set; return the status."""
    inputs, state = ([part(p, value) for p in spec[name]] for name in ("inputs", "state"))
    sent = inputs[changed]
    [one] = sent if isinstance(sent, list) else [sent]
    owner = (
        one["id"] if isinstance(one["id"], str) else json.dumps(one["id"], separators=(",", ":"))
    )
    body = {
        "output": spec["output"],
        "outputs": output(spec["output"]),
        "inputs": inputs,
        "state": state,
        "changedPropIds": [f"{owner}.{one['property']}"],
    }
    return team.served.ask(
        "POST", "/_dash-update-component", team.tokens[scope], json=body
    ).status_code


def test_a_viewer_changes_nothing_by_any_callback(made, searches):
    callbacks = [
        spec
        for spec in made.served.ask("GET", "/_dash-dependencies", made.tokens["read"]).json
        if spec["clientside_function"] is None
    ]
    before, answered = stored(made), set()
    for spec in callbacks:
        for value in values(made):
            answered.add(send(made, spec, value, "read", 0))
        # Another input may ask for another change: a run's id is also a valid note, tag and name.
        for changed in range(1, len(spec["inputs"])):
            answered.add(send(made, spec, made.ids[0], "read", changed))
        assert stored(made) == before, spec["output"]
    assert 200 in answered or 204 in answered
    assert set(searches) == {GroupSearches, Searches}, "which every viewer may begin"
    assert Audit(made.served.catalogue).entries(user="token read") == []
    # From the last one: among the first is the button that loads all samples, which takes seconds.
    pressed = ((spec, value) for spec in reversed(callbacks) for value in values(made))
    assert any(send(made, *one, "write", 0) and stored(made) != before for one in pressed), (
        "editors do by the same requests"
    )
