"""Words on bars read, whatever their colour and however pale they are."""

import pytest

from app.views.registry import RUN, parse
from tests.support.contrast import words_on_bars

LEAST = 4.5
QUERIES = (
    "",
    "iteration=1",
    "window=100-20000",
    "tile_metric=lock_stall",
    "colour=size",
    "block=3",
)
"""What changes which bars there are, or their colours; the words on them are chosen in the same way in both themes."""


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "queries"), [("light", QUERIES), ("dark", ("",))])
def test_words_on_the_bars_of_every_run_read(sample_runs, theme, queries):
    seen = set()
    for data in sample_runs:
        for query in queries:
            for view in RUN.available_plots(data):
                for text, found in words_on_bars(
                    view.draw(data, parse(query), theme).figure, theme
                ):
                    assert found >= LEAST, (data.run_id, view.id, query, text)
                    seen.add(view.id)
    # The script that paints a timeline chooses the colour of its words.
    assert {"iterations", "floorplan", "map"} <= seen
