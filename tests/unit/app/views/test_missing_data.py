"""The first sentences of a page about a file of which a part was not read."""

import pytest

from app.views.run_words import main_sentences
from app.views.state import RunState
from ingest.files import ingest
from services.run.data_cache import RunDataCache


@pytest.mark.parametrize(("row", "count"), [("b,3,2,9", 1), ("b,2,3,9", 0)])
def test_a_page_says_first_that_a_row_was_skipped(settings, tmp_path, row, count):
    path = tmp_path / "plan.1000.csv"
    path.write_text(f"id,lower,upper,size\na,0,5,4\n{row}\n")
    repository = settings.repository()
    run = ingest(repository, [path], {}).runs[0]
    sentences = main_sentences(RunDataCache(repository).get(run.run_id, "robust", {}), RunState())
    assert len([text for text in sentences if text.startswith("Incomplete: 1 row")]) == count
