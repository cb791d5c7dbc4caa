"""Badges and panels: what they say, who may open and frame them, and what is never signed."""

import json
import re
import time
from urllib.parse import urlsplit

import pytest

from app.pages.status.badges import badge_address
from app.request.signing import sign, signing_key
from components.theme import PALETTES
from services.status.regressions import series_id
from services.status.rules import set_rule
from storage.rules import Rule
from tests.support.access import MODES, SAME, STRANGER, Served, Team
from tests.support.paced_trace import ingest_nights

WIKI = "https://wiki.example"
PROBLEM = b"id,lower,upper,size,offset\n0,0,10,64,0\n1,5,12,32,64\n"


@pytest.fixture
def team(tmp_path):
    return Team(tmp_path / "data", embed_ancestors=WIKI)


@pytest.fixture
def nightly(team, tmp_path):
    repository = team.served.repository
    ingest_nights(repository, tmp_path, 4, 6)
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    return team


@pytest.fixture
def run_id(team):
    answer = team.served.ask(
        "POST", "/api/v1/runs?name=a.csv", team.served.token() | SAME, data=PROBLEM
    )
    return answer.json["runs"][0]["run_id"]


def texts(answer):
    assert (answer.status_code, answer.mimetype) == (200, "image/svg+xml")
    return re.findall("<text[^>]*>([^<]*)</text>", answer.text)


def embed(team, scope="write", **body):
    return team("POST", "/embeds", body, scope=scope)


def path_of(answer):
    assert answer.status_code == 201, answer.text
    return urlsplit(answer.json["url"]).path


def row_of(team):
    return team.served.context.status.status("nightly").rows[0]


class TestBadges:
    @pytest.mark.slow
    def test_a_rule_counts_its_open_regressions(self, nightly):
        reader = nightly.served.token("read")
        answer = nightly.served.ask("GET", "/badge/nightly.svg", reader)
        assert texts(answer) == ["nightly:", "1 regressed"]
        assert answer.headers["Cache-Control"].startswith("max-age=")
        nightly("PUT", f"/status/{row_of(nightly).run.run_id}/acknowledgement", {"note": ""})
        answer = nightly.served.ask("GET", "/badge/nightly.svg", reader)
        assert texts(answer) == ["nightly:", "0 regressed"], "acknowledged is not open"

    @pytest.mark.slow
    def test_a_key_has_its_verdict_and_change(self, nightly):
        row = row_of(nightly)
        address = f"/badge/nightly/{series_id(row.key)}.svg"
        label, state = texts(nightly.served.ask("GET", address, nightly.served.token("read")))
        assert label == f"{row.key.hwid} {row.key.M}x{row.key.K}x{row.key.N}:"
        assert state.startswith("regressed −")
        assert f"{abs(row.relative) * 100:.1f}" in state

    @pytest.mark.slow
    @pytest.mark.parametrize("address", ["/badge/weekly.svg", f"/badge/nightly/{'0' * 32}.svg"])
    def test_an_unknown_rule_or_key_is_not_found(self, nightly, address):
        answer = nightly.served.ask("GET", address, nightly.served.token("read"))
        assert answer.status_code == 404

    def test_with_a_sign_in_a_badge_needs_a_signature(self, nightly):
        assert nightly.served.ask("GET", "/badge/nightly.svg", peer=STRANGER).status_code == 401
        signed = path_of(embed(nightly, path="/badge/nightly.svg"))
        answer = nightly.served.ask("GET", signed, peer=STRANGER)
        assert texts(answer) == ["nightly:", "1 regressed"]
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"

    def test_the_page_offers_each_and_signs_them_for_editors(self, nightly):
        key = series_id(row_of(nightly).key)
        settings = nightly.served.settings
        for part in ("", key):
            signed = badge_address(settings, "nightly", part, is_editor=True)
            assert nightly.served.ask("GET", signed, peer=STRANGER).status_code == 200
            plain = badge_address(settings, "nightly", part, is_editor=False)
            assert nightly.served.ask("GET", plain, peer=STRANGER).status_code == 401


class TestPanels:
    @pytest.mark.slow
    def test_a_stranger_reads_one_view_in_a_frame_of_the_setting(self, team, run_id):
        made = embed(team, path=f"/run/{run_id}", view="map")
        answer = team.served.ask("GET", path_of(made), peer=STRANGER)
        assert answer.status_code == 200
        policy = answer.headers["Content-Security-Policy"]
        assert f"frame-ancestors {WIKI}" in policy
        assert "unsafe-eval" not in policy
        assert "script-src 'nonce-" in policy
        assert "X-Frame-Options" not in answer.headers
        assert answer.text.count('class="plot"') == 1
        assert not re.search("<(button|input|select|textarea|form|iframe)", answer.text)

    @pytest.mark.slow
    def test_the_page_with_the_frame_chooses_the_theme(self, team, run_id):
        made = path_of(embed(team, path=f"/run/{run_id}", view="map"))
        themes = {"": "light", "?theme=dark": "dark", "?theme=light": "light", "?theme=x": "light"}
        for query, theme in themes.items():
            text = team.served.ask("GET", made + query, peer=STRANGER).text
            assert f'data-bs-theme="{theme}">' in text, query
            drawn = json.loads(
                re.search(r'<script type="application/json">(.*?)</script>', text)[1]
            )
            assert drawn["layout"]["template"]["layout"]["paper_bgcolor"] == PALETTES[theme].panel

    @pytest.mark.slow
    def test_every_other_page_may_not_be_framed(self, team, run_id):
        reader = team.served.token("read")
        forged = path_of(embed(team, path=f"/run/{run_id}", view="map"))[:-1] + "z"
        for path in ("/", f"/run/{run_id}", "/status", "/api/v1/runs", "/badge/x.svg", forged):
            answer = team.served.ask("GET", path, reader)
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"], path
            assert answer.headers["X-Frame-Options"] == "DENY"

    def test_without_the_setting_nobody_frames_it(self, tmp_path):
        team = Team(tmp_path / "other")
        run = team.served.ask(
            "POST", "/api/v1/runs?name=a.csv", team.served.token() | SAME, data=PROBLEM
        ).json["runs"][0]["run_id"]
        answer = team.served.ask("GET", path_of(embed(team, path=f"/run/{run}", view="map")))
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]

    def test_the_address_names_run_view_and_end(self, team, run_id):
        made = embed(team, path=f"/run/{run_id}", view="map", days=2)
        _, _, _, run, view, _, until, _ = path_of(made).split("/")
        assert (run, view) == (run_id, "map")
        assert 2 * 86_400 - 60 < int(until) - time.time() <= 2 * 86_400

    @pytest.mark.slow
    def test_the_view_state_of_the_page_stays(self, team, run_id):
        plain = path_of(embed(team, path=f"/run/{run_id}", view="map"))
        state = path_of(embed(team, path=f"/run/{run_id}?method=reference", view="map"))
        assert plain.split("/")[5] == "-"
        assert "method=reference" in team.served.ask("GET", state, peer=STRANGER).text

    @pytest.mark.quick_every(2)
    @pytest.mark.parametrize("part", [3, 4, 5, 6, 7])
    def test_a_changed_part_is_refused(self, team, run_id, part):
        parts = path_of(embed(team, path=f"/run/{run_id}", view="map")).split("/")
        last = parts[part][-1]
        parts[part] = parts[part][:-1] + ("1" if last != "1" else "2")
        answer = team.served.ask("GET", "/".join(parts), peer=STRANGER)
        assert answer.status_code == 404
        assert run_id not in answer.text

    def test_an_address_that_has_ended_is_refused(self, team, run_id):
        settings = team.served.settings
        key = signing_key(settings.secret_key, settings.data)
        over = sign(key, f"/embed/run/{run_id}/map/-", int(time.time()) - 1)
        assert team.served.ask("GET", over, peer=STRANGER).status_code == 404

    @pytest.mark.parametrize(
        "path",
        [
            "/",
            "/status",
            "/api/v1/runs",
            "/run/../api/v1/runs",
            "/run/x y",
            "/lab/0123456789ab",
            "https://elsewhere.example/run/0123456789ab",
            "/embed/run/x",
            "/badge/none.svg",
        ],
    )
    def test_no_other_address_is_signed(self, team, path):
        assert embed(team, path=path, view="map").status_code in (404, 422)

    def test_no_unknown_view_is_signed(self, team, run_id):
        assert embed(team, path=f"/run/{run_id}", view="nothing").status_code == 404
        assert embed(team, path=f"/run/{run_id}").status_code == 404

    def test_a_viewer_signs_nothing(self, team, run_id):
        assert embed(team, "read", path=f"/run/{run_id}", view="map").status_code == 403

    @pytest.mark.slow
    def test_who_signs_is_recorded(self, team, run_id):
        embed(team, path=f"/run/{run_id}", view="map")
        assert ("token write", "embed.sign", f"/run/{run_id}") in team.audit()

    @pytest.mark.quick_every(4)
    @pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
    def test_a_signed_address_only_reads(self, team, run_id, method):
        path = path_of(embed(team, path=f"/run/{run_id}", view="map"))
        answer = team.served.ask(method, path, SAME, peer=STRANGER)
        assert answer.status_code in (401, 403, 405)

    @pytest.mark.slow
    def test_the_log_has_no_signature(self, team, run_id, caplog):
        path = path_of(embed(team, path=f"/run/{run_id}", view="map"))
        with caplog.at_level("INFO"):
            team.served.ask("GET", path, peer=STRANGER)
        assert path.rpartition("/")[2] not in caplog.text
        assert "/embed/run/" in caplog.text


@pytest.mark.slow
def test_without_a_sign_in_badges_are_open(tmp_path):
    served = Served(tmp_path / "open", **MODES["none"])
    ingest_nights(served.repository, tmp_path, 4, 6)
    set_rule(served.repository, Rule("nightly", 3, "main"), "tests")
    assert texts(served.ask("GET", "/badge/nightly.svg", peer=STRANGER))[0] == "nightly:"
