"""Statements of MLIR text: where one begins, what is a region, and what damage does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.aie_design import statements
from data_loaders.aie_design.statements import parse_statements, walk
from data_loaders.protocol import LoadError

TOKENS = (
    *("{", "}", '"', "%a", "%a =", ",", "=", "(", ")", "<", ">", "aie.tile", "^b", ":", "//", "\n"),
    *("!t", "#p", "x", " ", "{x =", "scf.for", "[", "]", "->", "0x1"),
)


def ops(text):
    return [statement.op for statement in walk(parse_statements(text).statements)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%a = aie.tile(0, 2) %b = aie.tile(0, 3)", ["aie.tile", "aie.tile"]),
        ("aie.core(%t) { aie.end }", ["aie.core", "aie.end"]),
        ("aie.core(%t) {stack_size = 4 : i32}", ["aie.core"]),
        ("aie.core(%t) {foo, bar} aie.end", ["aie.core", "aie.end"]),
        ("aie.x() {} aie.end", ["aie.x", "aie.end"]),
        ("// aie.tile(0, 1)\naie.end // aie.end", ["aie.end"]),
        ('aie.x() {a = "} aie.tile(9, 9) {"} aie.end', ["aie.x", "aie.end"]),
        ('aie.x() {a = "// no comment"} aie.end', ["aie.x", "aie.end"]),
        ("scf.for %i = %a to %b step %c { aie.end }", ["scf.for", "aie.end"]),
        (
            "%r = scf.for %i = %a to %b iter_args(%x = %y, %z = %w) -> (i32, i32) { aie.end }",
            ["scf.for", "aie.end"],
        ),
        ("aie.objectfifo @f(%p, {%c1, %c2}, 2 : i32)", ["aie.objectfifo"]),
        ("aie.objectfifo @f(%p, {%c1 dimensionsFromStream [<size = 1>]}, 2)", ["aie.objectfifo"]),
        ("aie.core(%t) { %x, %y = foo.bar() }", ["aie.core", "foo.bar"]),
        ("^bb1(%0: index): cf.br ^bb1(%1 : index)", ["^bb1", "cf.br"]),
        ("!t = memref<4xi8> #p = #aie.packet_info<pkt_type = 0>", ["!t", "#p"]),
        ("aie.dma(S2MM, 0) [{ aie.x() }, { aie.y() }]", ["aie.dma", "aie.x", "aie.y"]),
    ],
)
def test_where_a_statement_begins(text, expected):
    assert ops(text) == expected


def test_attributes_behind_a_region_belong_to_its_statement():
    (core,) = parse_statements("aie.core(%t) { aie.end } {stack_size = 0xC00 : i32}").statements
    assert "stack_size = 0xC00" in core.text
    assert "aie.end" not in core.text


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        ("aie.core(%t) { aie.end }", False),
        ("aie.core(%t) { aie.end", True),
        ("aie.core(%t) { aie.end }}", True),
        ('aie.x() {a = "', True),
    ],
)
def test_braces_that_do_not_balance_are_a_cut(text, is_cut):
    assert parse_statements(text).is_cut is is_cut


@pytest.mark.slow
def test_thousands_of_nested_regions_are_read():
    depth = 20_000
    parsed = parse_statements("scf.execute_region {\n" * depth + "aie.end" + "}" * depth)
    assert len(list(walk(parsed.statements))) == depth + 1
    assert not parsed.is_cut


def test_a_text_of_too_many_statements_is_refused(monkeypatch):
    monkeypatch.setattr(statements, "MAX_STATEMENTS", 10)
    with pytest.raises(LoadError, match="more than 10 statements"):
        parse_statements("aie.end " * 11)


@given(st.lists(st.sampled_from(TOKENS), max_size=60))
def test_any_tokens_are_read_and_no_text_of_a_statement_is_lost_twice(tokens):
    text = "".join(tokens)
    parsed = parse_statements(text)
    assert sum(len(statement.text) for statement in walk(parsed.statements)) <= len(text)
