import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.deeploy.plot import is_page, is_plot, read_plot
from data_loaders.protocol import LoadError
from tests.support.deeploy_net import TOY, Net, Placed, moved
from tests.support.deeploy_plot import LAYOUT, page, plot_html, traces
from tests.support.finding_codes import codes


def read(text):
    return read_plot(text.encode() if isinstance(text, str) else text, "memory_alloc.html")


def rows(level):
    columns = ("name", "start", "end", "address", "size", "constant")
    return list(zip(*(level.blocks[name].tolist() for name in columns), strict=True))


def expected(placed, steps):
    """Return the rows that a level of the writer has to be read as."""
    made, top = [], 0
    for name, size in placed.constants:
        made.append((name, 0, steps, top, size, True))
        top += size
    return made + [
        (n, first, last + 1, low, high - low, False) for n, first, last, low, high in placed.blocks
    ]


@pytest.mark.parametrize("pack", [False, True])
def test_a_page_is_its_levels(pack):
    plot = read(plot_html(pack=pack))
    assert [level.name for level in plot.levels] == ["L3", "L2", "L1"]
    assert [(level.capacity, level.static, level.steps) for level in plot.levels] == [
        (64_000_000, 0, 4),
        (4096, 2952, 4),
        (4000, 0, 4),
    ]
    for level in plot.levels:
        assert rows(level) == expected(TOY.levels[level.name], 4)
    assert plot.findings == []


def test_what_a_page_would_run_or_load_is_text(tmp_path, monkeypatch):
    mark = tmp_path / "ran"
    hostile = f'<script src="file://{mark}"></script><script>open("{mark}", "w")</script><img src="file://{mark}">'
    opened = []
    monkeypatch.setattr("builtins.open", lambda *given, **_: opened.append(given))
    plot = read(plot_html().replace("<body>", f"<body>{hostile}"))
    assert [rows(level) for level in plot.levels] == [
        rows(level) for level in read(plot_html()).levels
    ]
    assert opened == []


def test_titles_as_plain_text_and_unknown_keys_are_no_matter():
    html = plot_html().replace(
        '"title":{"text":"Memory Allocation"}', '"title":"Memory Allocation","new":[1]'
    )
    assert len(read(html).levels) == 3


def test_a_block_that_looks_like_a_constant_is_one_only_at_the_bottom():
    blocks = (("a", 0, 4, 0, 8), ("b", 0, 5, 8, 16))
    (level,) = read(
        plot_html(Net(**(vars(TOY) | {"levels": {"L2": Placed(64, (), blocks)}})))
    ).levels
    assert level.static == 0
    assert [row[-1] for row in rows(level)] == [False, False]


def test_one_bad_figure_costs_itself():
    html = plot_html()
    at = html.index("{", html.index("var fig", html.index("plot-L2")))
    plot = read(html[:at] + "{broken" + html[at:])
    assert [level.name for level in plot.levels] == ["L3", "L2", "L1"]
    plot = read(html[:at] + "oh" + html[html.index("Plotly.newPlot", at) :])
    assert [level.name for level in plot.levels] == ["L3", "L1"]
    assert codes(plot) == ["plot_damaged"]


def test_a_page_that_ends_early_keeps_what_it_shows():
    html = plot_html()
    plot = read(html[: html.index("_GEMM_buffer")])
    assert [level.name for level in plot.levels] == ["L3", "L2", "L1"]
    assert rows(plot.levels[2]) == expected(TOY.levels["L1"], 4)[:4]
    assert (plot.levels[2].capacity, plot.levels[2].steps) == (None, 4)
    assert codes(plot) == ["plot_damaged", "capacity_missing", "file_cut"]


def test_a_lone_level_without_its_capacity_is_as_long_as_its_blocks():
    for net, static in ((moved(TOY, "L2", constants=()), 0), (TOY, 2952)):
        figure = json.dumps({"data": traces("L2", net.levels["L2"], 4)[:-1], "layout": LAYOUT})
        (level,) = read(page([("L2", figure)])).levels
        assert (level.steps, level.static, level.capacity) == (4, static, None)


def test_blocks_outside_of_the_arena_are_skipped():
    level = traces("L2", TOY.levels["L2"], 4)
    level[4]["y"] = [10, 20, 20, 10]
    level[6]["x"] = [3.5, 3.5, 1.5, 1.5]
    plot = read(page([("L2", json.dumps({"data": level, "layout": LAYOUT}))]))
    assert [row[0] for row in rows(plot.levels[0]) if not row[-1]] == ["t0", "t2", "output_0"]
    assert [(f.code, f.count) for f in plot.findings] == [("traces_skipped", 2)]


def test_other_traces_are_counted():
    level = [{"x": [1], "y": [1]}, *traces("L2", TOY.levels["L2"], 4)]
    plot = read(page([("L2", json.dumps({"data": level, "layout": LAYOUT}))]))
    assert [(f.code, f.location) for f in plot.findings] == [
        ("traces_skipped", "memory_alloc.html, level L2")
    ]


def test_a_level_is_named_by_its_capacity_where_its_place_is_not():
    assert [level.name for level in read(plot_html().replace('id="plot-L2"', "")).levels] == [
        "L3",
        "L2",
        "L1",
    ]


def test_numbers_stay_exact():
    large = 2**42 + 1
    plot = read(plot_html(moved(TOY, "L1", blocks=(("a", 0, 0, large, large + 2),))))
    assert rows(plot.levels[2]) == [("a", 0, 1, large, 2, False)]


@pytest.mark.parametrize(
    "html", ["", "<html></html>", page([]), page([("L2", "{}")]), page([("L2", "[" * 9000)])]
)
def test_a_page_without_a_level_is_refused(html):
    with pytest.raises(LoadError, match=r"^memory_alloc\.html: .*figure"):
        read(html)


def test_a_stranger_s_page_is_told_apart():
    stranger = (
        b"<!DOCTYPE html><html><script>var fig = {};Plotly.newPlot('x', fig.data)</script></html>"
    )
    assert is_plot(plot_html().encode()) and is_page(plot_html().encode())
    assert is_page(stranger) and not is_plot(stranger)
    assert not is_page(b"id,lower,upper,size\n")


@given(data=st.data())
def test_any_damage_is_survived(data):
    html = plot_html().encode()
    at = data.draw(st.integers(0, len(html)))
    damaged = (
        html[:at] + data.draw(st.binary(max_size=40)) + html[at + data.draw(st.integers(0, 2000)) :]
    )
    try:
        plot = read(damaged)
    except LoadError as error:
        assert "\n" not in str(error)
        return
    for level in plot.levels:
        assert (level.blocks["size"] >= 0).all()
        assert (level.blocks["end"] > level.blocks["start"]).all()


BLOCKS = st.lists(
    st.tuples(
        st.text(max_size=5),
        st.integers(0, 6),
        st.integers(0, 3),
        st.integers(0, 2**40),
        st.integers(0, 2**40),
    ),
    max_size=8,
)
CONSTANTS = st.lists(st.tuples(st.text(max_size=5), st.integers(1, 2**40)), max_size=4)


@given(constants=CONSTANTS, blocks=BLOCKS)
def test_what_is_drawn_is_read(constants, blocks):
    steps = 9
    drawn = tuple(
        (name, first, first + more, low, low + size) for name, first, more, low, size in blocks
    )
    placed = Placed(2**41, tuple(constants), drawn)
    figure = json.dumps({"data": traces("L2", placed, steps), "layout": LAYOUT})
    (level,) = read(page([("L2", figure)])).levels
    assert rows(level) == expected(placed, steps)
