import json
from dataclasses import replace

import numpy as np
import pytest

from app.pages.lab.form import form
from app.pages.lab.head import HEAD, status_words
from app.pages.lab.snapshot import lab_html
from app.views.lab.picture import map_panel
from app.views.lab.results import results_tables, table_rows
from app.views.lab.state import LabState
from app.views.lab.words import conflicts_sentence
from services.lab.export import placement_json
from tests.support.lab_pages import PROBLEM, answered, curves, shown
from tests.support.numbers_in_text import has_numbers, numbers_in


class TestBanks:
    STATE = LabState(strategy="bank_aware", effort=5_000)
    COMPILE = "lighthouse_bm1684x_f16"

    @pytest.mark.slow
    def test_conflicts_before_and_after_are_in_table_sentence_file_and_snapshot(self, laboratory):
        data = answered(laboratory, self.COMPILE, self.STATE)
        stored, found, *others = table_rows(data, self.STATE)
        assert (found["strategy"], found["conflicts"]) == ("bank_aware", 0)
        assert stored["conflicts"] == data.conflicts_stored > 0
        assert all("conflicts" not in row for row in others if row.get("extent") is None)
        assert numbers_in(conflicts_sentence(data, data.placements[0])) == ["1"]
        assert conflicts_sentence(data, data.placements[0]) in status_words(data, self.STATE)
        (table,) = results_tables(data, self.STATE)
        assert "bank conflicts" in {label for _, label in table.labels}
        record = json.loads(placement_json(data, data.placements[0]))["answer"]
        assert (
            record["bank_conflicts"],
            record["bank_conflicts_stored"],
            record["bank_conflicts_bound"],
        ) == (0, 1, 0)
        assert "bank conflicts" in lab_html(data, self.STATE)

    @pytest.mark.slow
    def test_conflicts_that_are_left_are_said_with_what_is_known_of_them(self, laboratory):
        answered(laboratory, self.COMPILE, self.STATE)  # has no conflict, so all can be avoided
        data = answered(laboratory, self.COMPILE, replace(self.STATE, strategy="first_fit"))
        asked = ("first_fit", self.STATE.effort)
        (answer,) = (one for one in data.placements if (one.strategy, one.asked_effort) == asked)
        found = str(data.conflicts(answer))
        assert has_numbers(conflicts_sentence(data, answer), found, "1")
        alone = replace(data, placements=(answer,))
        assert has_numbers(conflicts_sentence(alone, answer), found, "1")
        assert conflicts_sentence(alone, answer) != conflicts_sentence(data, answer)
        low = replace(answer, address=np.zeros_like(answer.address), extent=10**9)
        assert "256 KiB" in numbers_in(conflicts_sentence(data, low))
        allowed = replace(
            data.stored_map, attempt={**data.stored_map.attempt, "allow_bank_conflict": 1}
        )
        vars(data).update(conflicts_bound=2)
        said = conflicts_sentence(data, answer)
        assert has_numbers(said, found, "1", "2")
        vars(data).update(stored_map=allowed)
        assert conflicts_sentence(data, answer).startswith(said)
        assert conflicts_sentence(data, answer) != said

    @pytest.mark.slow
    def test_an_attempt_that_failed_is_no_placement_to_compare_with(self, laboratory):
        state = LabState(attempt=3, strategy="first_fit")
        data = answered(laboratory, self.COMPILE, state)
        stored = table_rows(data, state)[0]
        assert (stored["verdict"], stored["gap"]) == ("10 failed", None)
        assert data.conflicts(data.placements[0]) == 0
        assert numbers_in(conflicts_sentence(data, data.placements[0]))[0] == "1"
        assert not any(
            line.type == "line" and line.line.dash == "dot"
            for line in curves(data, state).layout.shapes
        )
        assert "10" in numbers_in(map_panel(data, state, "light").caption)

    def test_it_is_offered_where_banks_are_known_alone(self, laboratory):
        for name, offered in ((self.COMPILE, True), (PROBLEM, False)):
            data = shown(laboratory, name, LabState())
            parts = {
                key: value
                for piece in HEAD
                for key, value in piece.draw(data, LabState(), "light").items()
            }
            assert ("bank_aware" in data.strategies) == offered
            assert ("bank_aware" in str(form(data, LabState(), parts))) == offered
            assert (
                "bank_aware" in {row["strategy"] for row in table_rows(data, LabState())}
            ) == offered
        assert data.task("bank_aware", 0, 100).problem is data.problem
        assert "conflicts" not in {name for name, _ in results_tables(data, self.STATE)[0].labels}
