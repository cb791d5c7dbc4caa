"""`plan`: the numbers of the service as JSON and in words, levels and capacities that are asked for, and refusals."""

import json
import re

import pytest

from app.cli.plan import _lines
from schema.choices import METHODS
from services.run.data_cache import RunDataCache
from services.run.plan import MAX_CAPACITIES, plan_mapping
from tests.support.command_line import run
from tests.support.numbers_in_text import has_numbers
from tests.support.sentences import number_faults


@pytest.fixture
def ask(pairs):
    return lambda name, *args: run("plan", pairs.run(name), *args, "--data", pairs.place)


def planned(ask, *args, name="deeploy"):
    told = ask(name, *args, "--json")
    assert (told.exit_code, told.stderr) == (0, "")
    return json.loads(told.stdout)


@pytest.mark.slow
def test_json_is_what_the_service_says(ask, pairs):
    data = RunDataCache(pairs.repository).get(pairs.run("deeploy"), METHODS[0], {})
    assert planned(ask) == plan_mapping(data, None, ())


@pytest.mark.slow
def test_text_has_what_each_level_moves_and_needs(ask):
    (level,) = planned(ask)["levels"]
    head, least, *lines = ask("deeploy").stdout.splitlines()
    assert head.startswith(f"{level['level']}: ")
    assert has_numbers(head, f"{level['bytes_in']} bytes", str(level["bytes_out"]))
    assert f"{level['unknown']} of {len(level['operators'])} operators" in head
    numbers = (level["least_capacity"]["any"], level["least_capacity"]["chosen"], level["capacity"])
    assert [int(digits) for digits in re.findall(r"\d+", least)][:3] == [*numbers]
    swept = [line for line in lines if line.startswith("  capacity ")]
    worst = [line for line in lines if "%" in line]
    assert [line.split()[-1] for line in worst] == [one["name"] for one in level["worst"]]
    assert [line.split()[:2] for line in worst] == [
        [f"{100 * one['share']:.1f}", "%"] for one in level["worst"]
    ]
    assert [int(line.split()[1].strip(":")) for line in swept] == [
        one["capacity"] for one in level["sweep"]
    ]
    said = [one["bytes"] if one["feasible"] else one["fitting"] for one in level["sweep"]]
    assert [int(line.split()[2]) for line in swept] == said
    for line, one in zip(swept, level["sweep"], strict=True):
        # Both a sum of bytes and a count of operators name how many operators they are of.
        parts = re.findall(r"(\d+) of (\d+) operators?", line)
        counted = one["fitting"] if not one["feasible"] else level["unknown"]
        assert parts == ([(str(counted), str(len(level["operators"])))] if counted else [])


def made_level(**given):
    """Return a level of a plan as JSON with three operators, with other values."""
    level = {"level": "L1", "operators": [{}] * 3, "unknown": 0, "bytes_in": 1, "bytes_out": 2}
    level |= {"capacity": 64, "added_static": 0, "capacity_note": None, "worst": []}
    least = {"any": 16, "chosen": 32}
    sweep = [
        {"capacity": 8, "feasible": False, "fitting": 1, "bytes": None},
        {"capacity": 64, "feasible": True, "fitting": 3, "bytes": 3},
    ]
    return level | {"least_capacity": least, "sweep": sweep} | given


@pytest.mark.parametrize("unknown", [0, 1, 3])
@pytest.mark.parametrize("capacity", [64, None])
def test_text_says_what_is_not_known(unknown, capacity):
    level = made_level(unknown=unknown, capacity=capacity, added_static=1)
    lines = list(_lines({"levels": [level]}))
    assert not [fault for line in lines for fault in number_faults(line)]
    assert ("None" in " ".join(lines)) is False
    assert ("now" in lines[1]) == (capacity is not None)
    assert "1 byte to each" in lines[1]
    is_known = unknown < 3
    assert ("1 byte in, 2 out" in lines[0], "3 bytes moved" in lines[-1]) == (is_known, is_known)
    assert ("not known" in lines[0], "not known" in lines[-1]) == (not is_known, not is_known)


def test_a_level_of_one_operator_is_singular():
    level = made_level(operators=[{}], unknown=1)
    assert not [fault for line in _lines({"levels": [level]}) for fault in number_faults(line)]


@pytest.mark.slow
def test_capacities_are_tried_once_each_in_their_order(ask):
    (level,) = planned(ask, "--capacities", "2KiB,100,2048")["levels"]
    assert [(one["capacity"], one["feasible"]) for one in level["sweep"]] == [
        (100, False),
        (2048, True),
    ]


@pytest.mark.slow
def test_one_level_alone_has_nothing_together_with_another(ask):
    found = planned(ask, name="sample plan")
    names = [one["level"] for one in found["levels"]]
    assert len(names) > 1
    assert found["joint"]
    alone = planned(ask, "--level", names[0], "--capacities", "64KiB", name="sample plan")
    assert ([one["level"] for one in alone["levels"]], alone["joint"]) == (names[:1], [])


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("deeploy", ("--level", "L9")),
        ("deeploy", ("--capacities", "some")),
        ("deeploy", ("--capacities", "")),
        ("deeploy", ("--capacities", "0")),
        ("deeploy", ("--capacities", ",".join(map(str, range(1, MAX_CAPACITIES + 2))))),
        ("problem", ()),
        ("profile", ("--json",)),
    ],
)
def test_what_has_no_plan_is_one_line(ask, name, args):
    told = ask(name, *args)
    assert (told.exit_code, told.stdout, told.stderr.count("\n")) == (1, "", 1)
