import gzip
import re

import pytest

from data_loaders.minimalloc.run import MinimallocLoader
from data_loaders.protocol import LoadError
from data_loaders.reading.files import read_head
from tests.support.finding_codes import codes, only_finding
from tests.support.numbers_in_text import has_numbers

PROBLEM = "id,lower,upper,size\na,0,2,40\nb,1,4,60\n"
SOLUTION = "id,lower,upper,size,offset\na,0,2,40,0\nb,1,4,60,40\n"
LOADER = MinimallocLoader()


def load(tmp_path, text=PROBLEM, name="net.csv", settings=None, **more):
    path = tmp_path / name
    path.write_text(text)
    return LOADER.load(path, settings or {}, **more)


def attempt(run):
    return run.frames["attempts"].iloc[0]


def test_a_problem_is_unsolved_and_has_no_addresses(tmp_path):
    run = load(tmp_path)
    blocks = run.frames["allocations"]
    assert (run.metadata["name"], run.metadata["time_unit"]) == ("net", "steps")
    assert (attempt(run).outcome, attempt(run).steps, attempt(run).isna()["capacity"]) == (
        "unsolved",
        4,
        True,
    )
    assert blocks["address"].isna().all()
    assert blocks[["block", "name", "kind", "status"]].astype("str").to_numpy().tolist() == [
        ["0", "a", "buffer", "unplaced"],
        ["1", "b", "buffer", "unplaced"],
    ]
    assert blocks["level"].isna().all()
    assert codes(run) == []


def test_a_solution_is_solved_by_what_the_user_says(tmp_path):
    settings = {"strategy": "MiniMalloc", "capacity": "1KiB", "hwid": "npu", "name": "mine"}
    run = load(tmp_path, SOLUTION, settings=settings)
    assert run.frames["allocations"]["address"].tolist() == [0, 40]
    assert run.frames["allocations"]["status"].tolist() == ["placed", "placed"]
    assert (attempt(run).outcome, attempt(run).strategy, attempt(run).capacity) == (
        "solved",
        "MiniMalloc",
        1024,
    )
    assert (run.metadata["name"], run.metadata["hwid"]) == ("mine", "npu")


def test_a_problem_and_its_solutions_share_a_tag_beside_the_users_own(tmp_path):
    rows = PROBLEM.strip().split("\n")
    reordered = "\n".join([rows[0], *reversed(rows[1:])]) + "\n"
    tags = [str(load(tmp_path, text).metadata["tags"]) for text in (PROBLEM, SOLUTION, reordered)]
    assert len(set(tags)) == 1
    assert re.fullmatch(r"problem-[0-9a-f]{12}", tags[0])
    assert load(tmp_path, PROBLEM, settings={"tags": "mine"}).metadata["tags"] == f"mine {tags[0]}"
    larger = PROBLEM.replace(rows[1].split(",")[3], "61")
    assert load(tmp_path, larger).metadata["tags"] != tags[0]


def test_offsets_of_some_rows_fix_them(tmp_path):
    run = load(tmp_path, SOLUTION.replace("60,40", "60,"))
    assert attempt(run).outcome == "unsolved"
    assert run.frames["allocations"]["status"].tolist() == ["placed", "unplaced"]
    assert codes(run) == ["offsets_partly"]


@pytest.mark.parametrize(
    "name",
    [
        "A.1048576.csv",
        "A.1048576.solved.csv",
        "000-L2-cap1048576-input.csv",
        "net_capacity=1048576.csv",
        "CAP_1048576.csv",
    ],
)
def test_the_name_may_hold_the_capacity(tmp_path, name):
    run = load(tmp_path, name=name)
    assert attempt(run).capacity == 1048576
    assert codes(run) == ["capacity_from_name"]


@pytest.mark.parametrize(
    "name",
    ["net.csv", "net7.csv", "net.59.csv", "escape60.csv", "net.0.csv", f"net.{10**18 * 9}.csv"],
)
def test_what_is_no_capacity(tmp_path, name):
    assert attempt(load(tmp_path, name=name)).isna()["capacity"]


@pytest.mark.parametrize(
    ("name", "number", "limit"),
    [
        ("net.20.csv", "20", "60 bytes"),
        ("net_cap20.csv", "20", "60 bytes"),
        ("net.0.csv", "0", "60 bytes"),
        (f"net.{'9' * 19}.csv", "9" * 19, f"{2**62} bytes"),
        (f"net.{'9' * 25}.csv", "9" * 25, f"{2**62} bytes"),
        ("net.csv", None, None),
        ("net7.csv", None, None),
    ],
)
def test_a_number_in_the_name_that_is_not_the_capacity_is_explained(tmp_path, name, number, limit):
    run = load(tmp_path, name=name)
    assert codes(run) == ([] if number is None else ["capacity_not_read"])
    if number is not None:
        message = only_finding(run, "capacity_not_read").message
        assert has_numbers(message, number, limit)


def test_the_user_knows_the_capacity_better_than_the_name(tmp_path):
    run = load(tmp_path, name="A.1048576.csv", settings={"capacity": "2048"})
    assert (attempt(run).capacity, codes(run)) == (2048, [])


def test_the_name_is_that_of_the_uploaded_file(tmp_path):
    assert load(tmp_path, name="tmp3", origin=r"C:\runs\A.12.csv.gz").metadata["name"] == "A.12"


def test_gzip_is_no_matter(tmp_path):
    path = tmp_path / "net.csv.gz"
    path.write_bytes(gzip.compress(PROBLEM.encode()))
    assert LOADER.sniff(path, read_head(path)) is None
    assert len(LOADER.load(path, {}).frames["allocations"]) == 2
    assert LOADER.bundle(path).primary == path


def test_sniff_wants_the_header(tmp_path):
    path = tmp_path / "x"
    assert LOADER.sniff(path, b"\xef\xbb\xbfbuffer,start,end,size\r\n") is None
    assert "(id, lower, upper, size)" in LOADER.sniff(path, b"a,b,c\n")
    of_deeploy = tmp_path / "input_minimalloc_0123456789abcdef.csv"
    assert "Deeploy" in LOADER.sniff(of_deeploy, PROBLEM.encode())


def test_a_capacity_that_is_none_is_a_sentence(tmp_path):
    with pytest.raises(LoadError, match="capacity=much"):
        load(tmp_path, settings={"capacity": "much"})


def test_places_are_named(tmp_path):
    run = load(tmp_path, PROBLEM + "c,1,2,x\n", name="net.csv")
    assert [finding.location for finding in run.diagnostics] == ["net.csv, line 4"]
