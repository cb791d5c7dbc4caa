import gzip
import re
import shutil

import brotli
import pytest
from dash import Dash

from app.config.assets import ASSETS
from app.server import static
from app.server.factory import create_app
from app.server.static import serve_assets
from tests.support.dash_client import DashClient

LASTING = "public, max-age=31536000, immutable"
OWN = re.compile(r'"(/assets/[^"]+)"')
SUITES = re.compile(r'"(/_dash-component-suites/[^"]+)"')


def addresses(dashboard, pattern):
    found = pattern.findall(dashboard.get("/").text)
    assert found
    return found


@pytest.fixture
def compressions(monkeypatch):
    """Every content that is compressed from now on."""
    seen = []
    for name, code in list(static._CODINGS.items()):
        monkeypatch.setitem(
            static._CODINGS, name, lambda content, code=code: seen.append(content) or code(content)
        )
    return seen


def test_what_is_named_by_its_content_is_kept_for_a_year(dashboard):
    named = [
        *addresses(dashboard, OWN),
        *(path for path in addresses(dashboard, SUITES) if "async-" not in path),
    ]
    assert {dashboard.get(path).headers["Cache-Control"] for path in named} == {LASTING}


def test_what_keeps_its_name_is_asked_for_again_and_not_sent_again(dashboard):
    path = next(path for path in addresses(dashboard, SUITES) if "async-" in path)
    first = dashboard.get(path)
    assert first.headers["Cache-Control"] == "no-cache"
    again = dashboard.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_a_name_changes_with_the_content_and_only_with_it(tmp_path):
    folder = shutil.copytree(ASSETS, tmp_path / "assets")
    before = serve_assets(Dash(__name__), folder)
    (folder / "shell.css").write_text("body { color: red }")
    after = serve_assets(Dash(__name__), folder)
    assert {name for name in before if before[name] != after[name]} == {"tilescope.css"}


@pytest.mark.parametrize(
    ("asked", "coding", "decode"),
    [
        ("gzip, deflate, br, zstd", "br", brotli.decompress),
        ("gzip, deflate", "gzip", gzip.decompress),
        ("br;q=0, gzip", "gzip", gzip.decompress),
        ("identity", None, bytes),
        ("", None, bytes),
    ],
)
def test_files_come_in_the_best_coding_that_the_browser_takes(dashboard, asked, coding, decode):
    for path in (addresses(dashboard, OWN)[0], addresses(dashboard, SUITES)[-1]):
        plain = dashboard.get(path).data
        answer = dashboard.get(path, headers={"Accept-Encoding": asked})
        assert answer.headers.get("Content-Encoding") == coding
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert decode(answer.data) == plain


@pytest.mark.slow
def test_codings_have_tags_of_their_own(dashboard):
    path = addresses(dashboard, OWN)[0]
    tags = [
        dashboard.get(path, headers={"Accept-Encoding": coding}).headers["ETag"]
        for coding in ("br", "gzip", "")
    ]
    assert len(set(tags)) == 3


def test_a_file_is_compressed_once(dashboard, compressions):
    for _ in range(3):
        for path in (addresses(dashboard, OWN)[0], addresses(dashboard, SUITES)[-1]):
            assert dashboard.get(path, headers={"Accept-Encoding": "br"}).status_code == 200
    assert len(compressions) == 2


def test_names_of_other_releases_take_no_memory_and_are_not_kept(dashboard, compressions):
    own = addresses(dashboard, OWN)[0]
    for digest in ("0" * 12, "f" * 12):
        asked = re.sub(r"\.[0-9a-f]{12}\.", f".{digest}.", own)
        answer = dashboard.get(asked, headers={"Accept-Encoding": "br"})
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-cache")
    suite = next(path for path in addresses(dashboard, SUITES) if "async-" not in path)
    for version in ("v1m1", "v2m2"):
        asked = re.sub(r"\.v\w+m\w+\.", f".{version}.", suite)
        assert dashboard.get(asked, headers={"Accept-Encoding": "br"}).status_code == 200
    assert len(compressions) == 2


@pytest.mark.parametrize(
    "path", ["dash/dcc/nothing.js", "dash/../../secret.js", "flask/app.py", "dash/dash.py"]
)
def test_only_what_dash_serves_is_served(dashboard, path):
    assert dashboard.get(f"/_dash-component-suites/{path}").status_code >= 400


@pytest.mark.slow
def test_a_fresh_process_knows_the_tags_of_the_one_before(dashboard, settings):
    path = next(path for path in addresses(dashboard, SUITES) if "async-" in path)
    known = {"If-None-Match": dashboard.get(path).headers["ETag"]}
    fresh = DashClient(create_app(settings))
    fresh.get("/")
    assert [fresh.get(path, headers=known).status_code for _ in range(2)] == [304, 304]
    assert len(fresh.get(path).data) > 1_000
