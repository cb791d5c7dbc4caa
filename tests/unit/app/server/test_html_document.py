import base64
import hashlib
import re

from app.config.assets import ASSETS


def sources(html):
    return re.findall(r'<script src="([^"]*)"', html)


def test_the_theme_is_set_before_anything_is_painted(dashboard):
    html = dashboard.get("/").text
    theme = (ASSETS / "early" / "1-theme.js").read_text(encoding="utf-8")
    assert html.count(theme) == 1
    assert (
        html.index("_dash-config")
        < html.index(theme)
        < html.index("stylesheet")
        < html.index("<body>")
    )


def test_the_policy_lets_the_early_script_run(dashboard):
    answer = dashboard.get("/")
    inline = re.findall(r"<script(?: data-[^>]*)?>(.*?)</script>", answer.text, re.DOTALL)
    digests = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in inline
    ]
    assert len(digests) >= 2, "the early script and those of Dash"
    assert all(
        f"'sha256-{digest}'" in answer.headers["Content-Security-Policy"] for digest in digests
    )


def test_our_scripts_and_styles_are_a_file_each(dashboard):
    html = dashboard.get("/").text
    assert len([path for path in sources(html) if path.startswith("/assets/")]) == 1
    assert len(re.findall(r'rel="stylesheet" href="/assets/', html)) == 1
    script, styles = (
        dashboard.get(re.search(rf'"(/assets/tilescope[^"]*\.{kind})"', html)[1]).text
        for kind in ("js", "css")
    )
    assert all(path.read_text(encoding="utf-8") in script for path in ASSETS.glob("*.js"))
    assert all(path.read_text(encoding="utf-8") in styles for path in ASSETS.glob("*.css"))


def test_no_page_loads_what_nothing_uses(dashboard):
    html = dashboard.get("/").text
    assert not [path for path in sources(html) if re.search("polyfill|dash_table|plotly", path)]
    assert [path for path in sources(html) if "dash_ag_grid" in path]


def test_plotly_is_named_where_the_early_script_looks(dashboard):
    found = re.search(r'<script data-plotly="([^"]*)"', dashboard.get("/").text)
    assert "plotly.js (cartesian" in dashboard.get(found[1]).text[:100]


def test_what_is_loaded_ahead_is_there(dashboard):
    html = dashboard.get("/").text
    ahead = re.findall(r'rel="preload"[^>]*href="([^"]*)"', html)
    assert ahead
    assert {dashboard.get(path).status_code for path in ahead} == {200}


def test_the_document_is_the_same_for_every_address_and_sent_once(dashboard):
    first = dashboard.get("/")
    other = dashboard.get("/run/1234", headers={"If-None-Match": first.headers["ETag"]})
    assert (other.status_code, other.data) == (304, b"")
    assert dashboard.get("/run/1234").data == first.data
    assert {"no-cache", "private"} <= {*first.headers["Cache-Control"].split(", ")}
    assert first.mimetype == "text/html"
