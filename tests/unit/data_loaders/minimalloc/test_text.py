"""What MiniMalloc itself does not read: quotes, and omnimalloc's line of the pool."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.minimalloc.run import MinimallocLoader
from data_loaders.minimalloc.table import has_header, read_table
from data_loaders.protocol import LoadError

HEAD = "id,lower,upper,size"


def read(text):
    return read_table(io.BytesIO(text.encode()), "p.csv")


def names(text):
    return read(text).frame["name"].tolist()


def test_quoted_names_with_commas_and_quotes():
    text = f'{HEAD}\n"conv, 3",0,4,24\nadd,2,9,40\n"say ""x""",3,5,8\n'
    table = read(text)
    assert table.frame["name"].tolist() == ["conv, 3", "add", 'say "x"']
    assert table.frame["size"].tolist() == [24, 40, 8]
    assert table.findings == []


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1), min_size=1
    )
)
def test_names_come_back_as_python_s_csv_writes_them(given_names):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([HEAD.split(","), *([name, 0, 1, 8] for name in given_names)])
    assert names(text.getvalue()) == given_names


def test_every_cell_may_be_quoted():
    text = '"id","lower","upper","size"\n"a","0","4","24"\n'
    assert has_header(text.encode())
    assert names(text) == ["a"]


@pytest.mark.parametrize("name", ['"a', 'a"b', ' "a"'])
def test_a_quote_that_quotes_nothing_is_part_of_the_name(name):
    assert names(f"{HEAD}\n{name},0,4,24\n") == [name]


def test_a_quoted_name_of_several_lines_is_refused_by_its_line():
    with pytest.raises(LoadError, match=r"line 3"):
        read(f'{HEAD}\nx,0,1,8\n"a\nb",0,4,24\n')


def test_the_line_of_the_pool(tmp_path):
    text = f"# pool_offset=8192\r\n{HEAD},kind,offset\r\na,0,3,24,workspace,0\r\nb,2,x,40,io,24\r\n"
    assert has_header(text.encode())
    table = read(text)
    assert (table.pool_offset, table.frame["address"].tolist()) == (8192, [0])
    assert {f.code: f.location for f in table.findings}["rows_skipped"] == "p.csv, line 4"
    (tmp_path / "pool.csv").write_text(text.replace(",x,", ",9,"))
    run = MinimallocLoader().load(tmp_path / "pool.csv", {})
    assert run.frames["allocations"]["address"].tolist() == [0, 24]
    assert "8192" in next(f.message for f in run.diagnostics if f.code == "pool_offset")


def test_a_pool_at_the_begin_of_memory_needs_no_finding(tmp_path):
    (tmp_path / "pool.csv").write_text(f"# pool_offset=0\n{HEAD}\na,0,3,24\n")
    assert [f.code for f in MinimallocLoader().load(tmp_path / "pool.csv", {}).diagnostics] == []


@pytest.mark.parametrize("first", ["# pool=1", "# pool_offset=x", "# pool_offset=1 2"])
def test_other_first_lines_are_refused(first):
    assert not has_header(f"{first}\n{HEAD}\n".encode())


def test_vector_clocks_are_refused():
    with pytest.raises(LoadError, match="text instead of a number"):
        read(f"{HEAD}\na,3:0,4:1,8\n")
