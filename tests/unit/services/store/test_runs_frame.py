import pandas as pd

from schema.run_columns import HEADLINE, LISTED_COLUMNS
from services.store.runs_frame import HEADLINE_FIELDS, HEALTH, runs_frame
from storage.annotation import Annotation
from tests.support.runs import record_of, stored_of


def frame_of(*records, tags=None):
    runs = [stored_of(record) for record in records]
    return runs_frame(runs, {run.run_id: Annotation("", tags) for run in runs})


def test_it_has_the_columns_of_the_list_in_their_order():
    own = ("health", HEADLINE)
    listed = [c.name for c in LISTED_COLUMNS if c.sort and c.name not in own]
    headline = [f"headline_{name}" for name in HEADLINE_FIELDS]
    assert list(frame_of(record_of()).columns) == ["run_id", *listed, *HEALTH, *headline]


def test_headlines_have_kind_value_and_unit():
    rate, none = frame_of(record_of(0, gmacs_mean=237.5, utilization=0.75), record_of(1)).to_dict(
        "records"
    )
    assert (rate["headline_kind"], rate["headline_value"], rate["headline_unit"]) == (
        "rate",
        237.5,
        "GMAC/s",
    )
    assert (rate["headline_detail"], rate["headline_detail_of"]) == (0.75, "of peak")
    assert pd.isna([none["headline_kind"], none["headline_value"], none["headline_unit"]]).all()


def test_a_list_without_runs_has_its_columns():
    assert list(frame_of().columns) == list(frame_of(record_of()).columns)
    assert len(frame_of()) == 0


def test_numbers_are_as_stored_and_what_is_missing_is_null():
    one, other = frame_of(
        record_of(0, gmacs_mean=1.5, M=64, errors=2, warnings=1),
        record_of(1, gmacs_mean=None, M=None),
    ).to_dict("records")
    assert (one["gmacs_mean"], one["M"], one["errors"], one["warnings"]) == (1.5, 64, 2, 1)
    assert frame_of(record_of(1, gmacs_mean=None, M=None))[["gmacs_mean", "M"]].isna().all().all()
    assert other["created_at"] == "2026-11-02T10:00:00+00:00"


def test_tags_are_those_that_people_gave():
    (row,) = frame_of(record_of(tags="old"), tags=("new", "x")).to_dict("records")
    assert row["tags"] == "new x"
