"""What a process that decodes may take, and which of its answers are taken."""

import pandas as pd
import pytest

from data_loaders.reading.limits import Limits
from data_loaders.tinygrad.decoding import LIMITS, DecoderResult, check_results, decoder_limits


def test_memory_is_never_more_than_readers_may_use():
    assert decoder_limits(Limits(memory_mb=100)).memory_mb == 100
    assert decoder_limits(Limits()) == LIMITS


def test_columns_go_on_from_answer_to_answer():
    answers = [{"waves": {"trace": [1], "wave": [0]}}, {"waves": {"trace": [2, 2], "wave": [0, 1]}}]
    assert DecoderResult(answers).columns("waves", ("trace", "wave")) == {
        "trace": [1, 2, 2],
        "wave": [0, 0, 1],
    }


@pytest.mark.parametrize(("told", "rows"), [([1, 1], []), ([1, 3], []), ([1], [2])])
def test_what_nobody_asked_for_or_told_of_is_refused(told, rows):
    with pytest.raises(ValueError):
        check_results(told, [1, 2], [pd.Series(rows, dtype="int64")])


def test_answers_that_cannot_be_are_none_at_all_and_their_process_failed():
    def made(given):
        return {"waves": pd.DataFrame(given.columns("waves", ("trace",)))}

    frames, ending = DecoderResult([{"waves": {}}]).frames(made, "thread trace")
    assert frames["waves"].empty
    assert ending
    assert (
        DecoderResult([{"waves": {}}], "was killed").frames(made, "thread trace")[1] == "was killed"
    )
    assert DecoderResult([{"waves": {"trace": [1]}}]).frames(made, "thread trace")[1] == ""
