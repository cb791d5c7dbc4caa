"""What clicks, drags and choices on the views of a comparison do to the view state, and what is drawn of it."""

import pytest

from analysis.comparison.outcome import deciding
from app.views.comparison.each import run_chosen
from app.views.comparison.memory import map_clicked
from app.views.comparison.profile import kernel_clicked
from app.views.comparison.registry import COMPARE, parse
from app.views.comparison.result import cause_selected, explain_change
from app.views.comparison.state import Chosen, CompareState
from app.views.comparison.timeline_lanes import shown_lanes
from components.comparison.step_part_words import parts_sentence
from components.comparison.words import about
from services.comparison.compared_maps import shown_pair
from tests.support.comparisons import LONG
from tests.support.components import every, words
from tests.support.timeline_bars import bars_of

START = CompareState(("a",), new=("b",))


def view(data, name):
    return next(one for one in COMPARE.available_views(data) if one.id == name)


def click(data, name, state, *customdata):
    return view(data, name).on_click(state, data, {"points": [{"customdata": [*customdata]}]})


def drawn(data, name, state=START):
    return view(data, name).draw(data, state, "light")


@pytest.mark.parametrize(
    ("pair", "part", "value"),
    [
        ("aie slow", "track", "core 3,0"),
        ("aie column", "track", "core 2,1"),
        ("aie faster", "track", ""),
        ("problem larger", "block", 0),
        ("deeploy grown", "attempt", "L2"),
        ("profile slow", "kernel", "r_8_8"),
    ],
)
def test_a_cause_leads_to_its_place(pairs, pair, part, value):
    data = pairs.data(pair)
    _, causes = explain_change(data)
    state = click(data, "attribution", START, 0)
    assert getattr(state.selection, part) == value
    assert len(drawn(data, "attribution").figure.data[1].customdata) >= len(causes) > 0


@pytest.mark.quick_every(4)
def test_every_cause_of_every_pair_leads_somewhere(pair):
    _, causes = explain_change(pair)
    for rank, cause in enumerate(causes):
        assert click(pair, "attribution", START, rank) == cause_selected(START, pair, cause)
        assert parse(click(pair, "attribution", START, rank).query()).base == START.base
    for wrong in ([], [-1], [len(causes)]):
        assert click(pair, "attribution", START, *wrong) == START


@pytest.mark.slow
def test_the_change_of_what_decides_is_explained(pairs):
    row, causes = explain_change(pairs.data("compile larger"))
    assert row.metric.name == "peak_memory"
    assert {cause.metric for cause in causes} == {"peak_memory"}
    assert sum(cause.amount for cause in causes) <= row.delta
    assert explain_change(pairs.data("aie same")) == (None, [])


def test_tiles_and_iterations_are_selected_and_let_go(pairs):
    data = pairs.data("aie slow")
    tile = click(data, "tiles", START, "core 3,0")
    assert tile.selection == Chosen(track="core 3,0")
    assert click(data, "tiles", tile, "core 3,0") == START
    assert click(data, "iterations", tile, 3).selection == Chosen(track="core 3,0", iteration=3)
    assert click(data, "iterations", START) == click(data, "tiles", START) == START


def test_the_views_of_an_array_are_of_the_selected_tile(pairs):
    data = pairs.data("aie slow")
    tile, other = (START.selecting(track=track) for track in ("core 3,0", "core 2,0"))
    for name in ("durations", "parts", "iterations"):
        sent = [drawn(data, name, state).figure.to_json() for state in (START, tile, other)]
        assert len(set(sent)) == 3
    medians = [shape.x0 for shape in drawn(data, "durations", tile).figure.layout.shapes]
    assert medians == pytest.approx([300, 330], abs=2)
    assert drawn(data, "parts", START.selecting(track="none")).figure.notes


def test_tiles_that_one_side_alone_has_are_said(pairs):
    assert "core 4,0" in drawn(pairs.data("aie larger"), "tiles").caption


@pytest.mark.slow
def test_a_block_in_a_map_is_selected_where_it_changed(pairs):
    data = pairs.data("problem larger")
    pair = shown_pair(data, "")
    for side, amap in enumerate((pair.base, pair.new)):
        for rank, word in zip(amap.blocks["block"], amap.blocks["change"], strict=True):
            state = map_clicked(
                START.selecting(block=1), data, {"points": [{"customdata": [side, int(rank)]}]}
            )
            selected = state.selection.block
            assert (selected is None) == (word == "unchanged")
            if selected is not None:
                assert data.blocks[("block_base", "block_new")[side]].iloc[selected] == rank
                assert data.blocks[word].iloc[selected]
    assert map_clicked(START, data, {"points": []}) == START


def test_a_row_of_a_grid_selects(pairs):
    blocks = pairs.data("problem larger")
    grid = view(blocks, "blocks").grid
    assert grid.on_cell(START, blocks, 2, "name").selection.block == 2
    assert grid.on_cell(START, blocks, 99, "name") == START
    kernels = pairs.data("profile slow")
    chosen = kernel_clicked(START, kernels, 0, "name")
    assert chosen.selection.kernel == kernels.kernels["name"].iloc[0]
    assert kernel_clicked(chosen, kernels, 0, "name") == START
    assert kernel_clicked(START, kernels, 99, "name") == START


def test_durations_are_those_of_the_selected_kernel(pairs):
    data = pairs.data("profile slow")
    assert len(drawn(data, "durations", START.selecting(kernel="r_new")).figure.data) == 2
    assert len(drawn(data, "durations", START.selecting(kernel="E_more")).figure.data) == 1
    assert drawn(data, "durations").caption.startswith("r_8_8")
    assert (
        drawn(data, "durations", START.selecting(kernel="none")).caption
        == drawn(data, "durations").caption
    )


def test_a_kernel_with_a_long_name_stays_selected_in_the_address(pairs):
    data = pairs.data("profile long")
    name = next(str(one) for one in data.kernels["name"] if len(one) > 200)
    assert LONG.startswith(name[:200])
    state = START.selecting(kernel=name)
    assert name in data.kernels["name"].tolist()
    assert parse(state.query()).selection.kernel == name


@pytest.mark.slow
def test_attempts_are_chosen_those_first_that_changed_most(pairs):
    data = pairs.data("deeploy grown")
    (select,) = every(view(data, "maps").controls(data, START), "Select")
    assert select.options[0]["value"] == select.value == "L2"
    (select,) = every(view(data, "maps").controls(data, START.selecting(attempt="L1")), "Select")
    assert select.value == "L1"
    assert (
        view(pairs.data("problem larger"), "maps").controls(pairs.data("problem larger"), START)
        == []
    )


def test_the_details_of_a_run_are_shown_without_what_was_selected_in_another():
    state = CompareState(("a",), new=("b", "c")).selecting(track="core 2,0")
    chosen = run_chosen(state, None, {"type": "compare-show", "run": "c"})
    assert (chosen.shown, chosen.selects_nothing) == ("c", True)


def test_the_setup_shows_differences_or_all(pairs):
    data = pairs.data("aie larger")
    shown = [
        len(every(view(data, "setup").make(data, parse(query)).body, "Tr"))
        for query in ("", "setup=all")
    ]
    assert 1 < shown[0] < shown[1]


def test_many_reasons_are_cut(pairs):
    data = pairs.data("aie larger")
    body = view(data, "verdict").make(data, START).body
    assert "incomparable" in words(body)


def window(figure):
    return figure.layout.xaxis.range


def timelines(data, query):
    state = parse(query)
    return [
        view(data, f"timeline-{side}").draw(data, state, "light").figure for side in ("base", "new")
    ]


def earliest(figure):
    return min(bar.start for bar in bars_of(figure))


@pytest.mark.quick_every(5)
@pytest.mark.parametrize(
    "query", ["", "window=100-20000", "align=start", "track=core+3,0", "iteration=2"]
)
def test_both_timelines_have_one_window_and_one_margin(pairs, query):
    for name in ("aie slow", "profile slow", "profile unmarked"):
        base, new = timelines(pairs.data(name), query)
        assert window(base) == window(new)
        assert base.layout.margin.l == new.layout.margin.l
        if query.startswith("window"):
            assert tuple(window(base)) == (100, 20000)


@pytest.mark.slow
def test_timelines_are_aligned_by_iteration_marker_or_start(pairs):
    captures, profiles = pairs.data("aie slow"), pairs.data("profile slow")
    runs = captures.timelines
    iterations = [
        run.iterations[run.iterations["track"] == "system"].set_index("iteration") for run in runs
    ]
    for query, number in (("", 1), ("iteration=3", 3)):
        for figure, run, rows in zip(timelines(captures, query), runs, iterations, strict=True):
            assert earliest(figure) == run.extent[0] - rows.loc[number, "first_start"]
    for run, figure in zip(profiles.timelines, timelines(profiles, "iteration=2"), strict=True):
        marks = sorted(run.markers["start"])
        lines = {
            float(at)
            for trace in figure.data
            if trace.type == "scatter"
            for at in trace.x
            if at is not None
        }
        assert {float(at - marks[2]) for at in marks} <= lines
    assert [earliest(figure) for figure in timelines(captures, "align=start")] == [0, 0]
    for run, figure in zip(profiles.detail_runs, timelines(profiles, "align=start"), strict=True):
        begin = profiles.timeline_of(run).extent[0]
        assert earliest(figure) == pytest.approx(
            int(run.frames["kernels"]["start"].min()) - begin, abs=1
        )


def test_markers_are_chosen_where_both_have_them(pairs):
    data = pairs.data("profile slow")
    (select,) = every(view(data, "timeline-base").controls(data, parse("iteration=3")), "Select")
    assert (len(select.options), select.value) == (9, "3")
    (select,) = every(view(data, "timeline-base").controls(data, parse("iteration=99")), "Select")
    assert select.value == "8"
    for name in ("aie slow", "profile unmarked"):
        controls = view(pairs.data(name), "timeline-base").controls(pairs.data(name), START)
        assert every(controls, "Select") == []


def test_a_selected_tile_has_all_of_its_lanes(pairs):
    run = pairs.data("aie slow").timelines[0]
    rows = shown_lanes(run, START.selecting(track="core 3,0"))
    assert {row.track for row in rows} == {"core 3,0"}
    assert shown_lanes(run, START.selecting(track="none"))


@pytest.mark.slow
def test_an_extent_that_the_page_made_says_so(pairs):
    unsolved, solved = (
        drawn(pairs.data(name), "maps").caption for name in ("problem unsolved", "problem larger")
    )
    assert unsolved.count("as laid out here") == 1
    assert "as laid out here" not in solved


def test_the_waterfall_names_the_number_that_decides(pairs):
    for name in ("deeploy grown", "problem larger", "compile larger", "profile slow", "aie slow"):
        data = pairs.data(name)
        row, causes = explain_change(data)
        assert row == deciding(data.result.rows, data.result.verdict)
        assert about(row).lower() in drawn(data, "attribution").caption.lower()
        if row.metric.unit == "bytes":
            assert sum(cause.amount for cause in causes) == row.delta


@pytest.mark.slow
def test_timelines_name_the_rows_of_one_side_alone(pairs):
    data = pairs.data("torch slow")
    captions = [drawn(data, f"timeline-{side}").caption for side in ("base", "new")]
    assert "Only in new: cuda 0 stream 20." in captions[1]
    assert "Only in" not in captions[0]


def test_the_verdict_begins_with_the_part_of_a_step_that_changed_most(pairs):
    data = pairs.data("torch slow")
    sentence = parts_sentence(data.result.parts)
    assert sentence
    assert sentence in words(view(data, "verdict").make(data, START).body)
    assert view(data, "step-parts").make(data, START).caption.startswith(sentence)
