"""A comparison as one HTML file."""

import pytest

from app.pages.compare.snapshot import comparison_html
from app.views.comparison.registry import COMPARE, parse
from app.views.view import draw_plot
from tests.support.pages import Page, is_plotly


@pytest.mark.quick_every(4)
@pytest.mark.parametrize(
    "pair", ["aie slow", "compile larger", "deeploy grown", "profile slow", "problem itself"]
)
def test_a_snapshot_holds_plotly_once_and_every_plot_and_fetches_nothing(pairs, pair):
    data = pairs.data(pair)
    page = Page(comparison_html(data, parse(pairs.query(pair))))
    assert sum(is_plotly(script) for script in page.scripts) == 1
    assert page.addresses == []
    shown = [
        view
        for view in COMPARE.available_plots(data)
        if draw_plot(view, data, parse(""), "light").figure.has_traces
    ]
    assert len(shown) <= len(page.plots) <= len(COMPARE.available_plots(data))
    assert all(plot["config"]["showSendToCloud"] is False for plot in page.plots)


def test_a_snapshot_says_verdict_runs_numbers_and_what_is_selected(pairs):
    state = parse(pairs.query("aie slow", "track=core+3,0&iteration=2"))
    words = " ".join(" ".join(Page(comparison_html(pairs.data("aie slow"), state)).words).split())
    base, new = pairs.runs("aie slow")
    for part in (
        "regressed",
        base[0],
        new[0],
        "tile core 3,0",
        "iteration 2",
        "GMAC/s mean",
        "utilisation",
    ):
        assert part in words


def test_a_snapshot_shows_the_view_as_it_stands(pairs):
    data = pairs.data("aie slow")
    whole, tile = (
        comparison_html(data, parse(f"base=a&new=b&{more}")) for more in ("", "track=core+3,0")
    )
    assert whole != tile


@pytest.mark.slow
def test_names_of_files_stay_words(pairs):
    page = Page(
        comparison_html(pairs.data("problem hostile"), parse(pairs.query("problem hostile")))
    )
    assert not any(script.strip().startswith(("alert", "<b>")) for script in page.scripts)
    assert any("</script>" in word for word in page.words)
    assert not any("\u202e" in text for text in (*page.words, *page.scripts[1:]))
