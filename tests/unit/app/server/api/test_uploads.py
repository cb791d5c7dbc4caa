"""Files in parts, as careless, quick and hostile clients send them."""

import hashlib
from dataclasses import replace

import pytest
from sqlalchemy import update

from services.store.uploads import (
    MAX_SETTINGS_BYTES,
    OffsetError,
    PartedUploads,
    UploadNotFoundError,
)
from storage import uploads as storage_uploads
from storage.clock import timestamp
from storage.quotas import OPEN_UPLOADS
from storage.tokens import Tokens
from storage.uploads import Uploads
from storage.work_tables import UPLOADS
from tests.support.access import is_problem, problem
from tests.support.races import at_once

FILE = problem(7)
WHOLE = len(FILE)
HALF = WHOLE // 2


@pytest.fixture
def begin(team):
    def begun(size=WHOLE, name="a.81920.csv", scope="write", **more):
        answer = team("POST", "/uploads", {"name": name, "size": size} | more, scope=scope)
        assert answer.status_code == 201, answer.text
        return answer.headers["Location"]

    return begun


@pytest.fixture
def send(team):
    def sent(place, offset, part, scope="write"):
        return team("PATCH", place, part, scope=scope, headers={"Upload-Offset": str(offset)})

    return sent


def stored(team):
    """Return the files of uploads that are in the store, or on the server's disk."""
    data = team.served.settings.data
    return [
        file
        for folder in (data / "frames" / "uploads", data / "uploads")
        for file in folder.rglob("*")
        if file.is_file()
    ]


@pytest.mark.slow
def test_a_file_in_parts_is_the_file(team, begin, send):
    place = begin(sha256=hashlib.sha256(FILE).hexdigest().upper())
    assert team("HEAD", place, scope="write").headers["Upload-Offset"] == "0"
    assert send(place, 0, FILE[:HALF]).headers["Upload-Offset"] == str(HALF)
    assert team("HEAD", place, scope="write").headers["Upload-Offset"] == str(HALF)
    early = team("POST", f"{place}/finish", scope="write")
    assert (early.status_code, is_problem(early)) == (409, True)
    assert send(place, HALF, FILE[HALF:]).status_code == 204
    done = team("POST", f"{place}/finish", scope="write")
    assert done.status_code == 201
    assert team("POST", "/runs?name=b.81920.csv", FILE).json["runs"][0] | {"file": ""} == (
        done.json["runs"][0] | {"status": "unchanged", "file": ""}
    )
    assert ("token write", "upload", done.json["runs"][0]["run_id"]) in team.audit()
    assert stored(team) == []
    assert [team(method, place, scope="write").status_code for method in ("HEAD", "DELETE")] == [
        404,
        404,
    ]


@pytest.mark.parametrize("scope", ["write", "admin"])
def test_tokens_of_one_name_are_several_users(team, begin, send, scope):
    place = begin()
    other = team.served.token(scope, "write")
    part = {"data": FILE[:HALF], "headers": other | {"Upload-Offset": "0"}}
    asked = [team.served.ask("PATCH", place, **part)]
    asked += [team.served.ask(method, place, other) for method in ("HEAD", "DELETE")]
    asked += [team.served.ask("POST", f"{place}/finish", other)]
    asked += [
        team.served.ask(
            "POST", "/api/v1/uploads/finish", other, json={"uploads": [place.rpartition("/")[2]]}
        )
    ]
    assert [answer.status_code for answer in asked] == [404] * 5
    assert send(place, 0, FILE).status_code == 204
    assert team("POST", f"{place}/finish", scope="write").status_code == 201


@pytest.mark.parametrize("named", ["{id}", " {id}", "  {id}"])
def test_no_name_of_a_token_is_another_token_s_id(team, begin, named):
    place = begin()
    (token_id,) = [
        token.token_id for token in Tokens(team.served.catalogue).all() if token.name == "write"
    ]
    assert (
        team.served.ask(
            "HEAD", place, team.served.token("write", named.format(id=token_id))
        ).status_code
        == 404
    )


@pytest.mark.slow
def test_an_upload_that_an_older_release_began_goes_on(team, begin, send):
    place = begin()
    with team.served.catalogue.begin() as connection:
        connection.execute(update(UPLOADS).values(user_name="token write"))
    assert send(place, 0, FILE).status_code == 204
    assert team("POST", f"{place}/finish", scope="write").status_code == 201


@pytest.mark.parametrize(
    "offset", ["", "x", "-1", "+1", "1.0", "0x1", "１", "9" * 19, "9" * 6_000, "0, 0"]
)
def test_a_part_says_where_it_begins(team, begin, offset):
    headers = team.tokens["write"] | {"Upload-Offset": offset.encode().decode("latin-1")}
    answer = team.served.ask("PATCH", begin(), headers, data=b"x")
    assert (answer.status_code, is_problem(answer)) == (400, True)


@pytest.mark.parametrize(
    ("offset", "part"),
    [(1, b"x"), (10**17, b"x"), (0, FILE + b"x"), (HALF - 1, b"x"), (HALF + 1, b"x")],
)
def test_a_part_begins_where_the_upload_ends(team, begin, send, offset, part):
    place = begin()
    if offset > 1:
        send(place, 0, FILE[:HALF])
    before = stored(team)
    assert send(place, offset, part).status_code == 409
    assert stored(team) == before


def test_a_part_without_bytes_changes_nothing(team, begin, send):
    place = begin()
    assert [send(place, 0, b"").headers["Upload-Offset"] for _ in range(3)] == ["0"] * 3
    assert stored(team) == []


def test_of_parts_that_come_at_once_one_stays(team, begin):
    place = begin()
    uploads, rows = PartedUploads(team.served.repository), Uploads(team.served.catalogue)
    found = rows.get(place.rpartition("/")[2])
    part = team.served.settings.data / "part"
    part.write_bytes(FILE[:HALF])
    told = at_once(*[lambda: uploads.append(found, 0, part)] * 4)
    assert [answer for answer in told if not isinstance(answer, OffsetError)] == [HALF]
    assert len(stored(team)) == 1
    assert rows.get(found.upload_id).offset == HALF


def test_a_part_of_an_upload_that_is_gone_leaves_nothing(team, begin, tmp_path):
    uploads, rows = PartedUploads(team.served.repository), Uploads(team.served.catalogue)
    found = rows.get(begin().rpartition("/")[2])
    part = tmp_path / "part"
    part.write_bytes(FILE)
    uploads.remove(found)
    with pytest.raises(Exception, match="another request"):
        uploads.append(found, 0, part)
    assert stored(team) == []


def test_what_another_request_takes_away_is_said_so(team, begin, send, tmp_path):
    place = begin()
    send(place, 0, FILE)
    uploads = PartedUploads(team.served.repository)
    found = Uploads(team.served.catalogue).get(place.rpartition("/")[2])
    uploads.remove(found)
    with pytest.raises(UploadNotFoundError):
        uploads.gather(found, tmp_path / "whole")


@pytest.mark.parametrize("scope", ["read", "admin"])
def test_an_upload_is_its_users_alone(team, begin, send, scope):
    place = begin()
    send(place, 0, FILE)
    refused = {"read": [404, 403, 403, 403], "admin": [404] * 4}[scope]
    asked = [
        team("HEAD", place, scope=scope),
        send(place, len(FILE), b"", scope=scope),
        team("POST", f"{place}/finish", scope=scope),
        team("DELETE", place, scope=scope),
    ]
    assert [answer.status_code for answer in asked] == refused
    assert team("POST", f"{place}/finish", scope="write").status_code == 201


def test_another_content_than_announced_is_no_run(team, begin, send):
    place = begin(sha256="0" * 64)
    send(place, 0, FILE)
    answer = team("POST", f"{place}/finish", scope="write")
    assert (answer.status_code, is_problem(answer)) == (422, True)
    assert stored(team) == []
    assert team("GET", "/runs").json["runs"] == []


@pytest.mark.slow
def test_a_file_that_nothing_reads_leaves_nothing(team, begin, send):
    place = begin(size=4)
    send(place, 0, b"what")
    assert team("POST", f"{place}/finish", scope="write").status_code == 422
    assert stored(team) == []


@pytest.mark.slow
def test_a_lost_answer_costs_no_second_run(team, begin, send):
    """Who does not know whether it was finished begins again: the run is there already."""
    for status in (201, 200):
        place = begin()
        send(place, 0, FILE)
        assert team("POST", f"{place}/finish", scope="write").status_code == status
        assert team("POST", f"{place}/finish", scope="write").status_code == 404
    assert len(team("GET", "/runs").json["runs"]) == 1


def test_what_nothing_came_of_for_a_day_is_gone(team, begin, send):
    from datetime import timedelta

    old, young = begin(), begin()
    send(old, 0, FILE[:HALF])
    send(young, 0, FILE[:HALF])
    for place, age in ((old, 25), (young, 23)):
        row = update(UPLOADS).where(UPLOADS.c.upload_id == place.rpartition("/")[2])
        with team.served.catalogue.begin() as connection:
            connection.execute(row.values(touched_at=timestamp(-timedelta(hours=age))))
    begin()
    assert [team("HEAD", place, scope="write").status_code for place in (old, young)] == [404, 200]
    assert len(stored(team)) == 1


@pytest.mark.quick_every(6)
@pytest.mark.parametrize(
    "name",
    [
        "../../../../etc/passwd.81920.csv",
        "/etc/x.81920.csv",
        "..\\..\\x.81920.csv",
        "a\u202e.81920.csv",
        "x" * 900 + ".81920.csv",
        "..",
        "~/.ssh",
    ],
)
def test_a_name_is_no_path(team, begin, send, name):
    before = {
        path
        for path in team.served.settings.data.parent.rglob("*")
        if path.is_file() and "catalogue" not in path.name
    }
    place = begin(name=name)
    send(place, 0, FILE)
    assert team("POST", f"{place}/finish", scope="write").status_code in (201, 422)
    team("POST", "/runs", FILE, scope="write", query_string={"name": name})
    after = {
        path
        for path in team.served.settings.data.parent.rglob("*")
        if path.is_file() and "catalogue" not in path.name
    }
    assert all("frames" in path.parts for path in after - before)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "", "size": 1}, 422),
        ({"name": "x" * 1_001, "size": 1}, 422),
        ({"name": "a\0", "size": 1}, 422),
        ({"name": "a", "size": -1}, 422),
        ({"name": "a", "size": 1.5}, 422),
        ({"name": "a", "size": "1"}, 422),
        ({"name": "a", "size": True}, 422),
        ({"name": "a", "size": 2**50}, 413),
        ({"name": "a", "size": 10**40}, 413),
        ({"name": "a", "size": 1, "sha256": "0"}, 422),
        ({"name": "a", "size": 1, "settings": {"a": 1}}, 422),
        ({"name": "a", "size": 1, "settings": {"a\0": "b"}}, 422),
        ({"name": "a", "size": 1, "user_name": "carol"}, 422),
        ({"name": "a", "size": 1, "upload_id": "../x"}, 422),
        ({"name": "a"}, 422),
        (b'{"name": "a", "size": ' + b"9" * 5_000 + b"}", 400),
    ],
)
def test_what_is_no_upload_is_not_begun(shared, body, status):
    answer = shared("POST", "/uploads", body)
    assert (answer.status_code, is_problem(answer)) == (status, True)


@pytest.mark.parametrize("upload_id", ["none", "..", "%2e%2e", "..%2f..%2fx", "%00", "x" * 500])
def test_an_id_is_one_that_was_given(shared, upload_id):
    for method in ("PATCH", "DELETE"):
        status = shared(method, f"/uploads/{upload_id}", headers={"Upload-Offset": "0"}).status_code
        assert status in (404, 405)


def test_too_many_uploads_under_way_are_refused_with_429_and_large_settings_with_413(
    team, begin, monkeypatch
):
    monkeypatch.setattr(storage_uploads, "OPEN_UPLOADS", replace(OPEN_UPLOADS, per_user=2))
    places = [begin(), begin()]
    refused = team("POST", "/uploads", {"name": "a", "size": 1}, scope="write")
    assert (refused.status_code, is_problem(refused)) == (429, True)
    assert team("DELETE", places[0], scope="write").status_code == 204
    settings = {"hwid": "x" * (MAX_SETTINGS_BYTES + 1)}
    large = team("POST", "/uploads", {"name": "a", "size": 1, "settings": settings}, scope="write")
    assert (large.status_code, is_problem(large)) == (413, True)
    begin()
