import pytest
from dash import html

from components.button_rows import button_rows, name_cells


def test_a_cell_carries_its_head_for_screens_that_hide_the_row_of_heads():
    row = html.Tr([html.Th("kernels", scope="row"), html.Td("3"), html.Td(html.Button("Retry"))])
    frame = button_rows(("alert", "attempts", ""), [row], "ts-audit")
    head, body = frame.children.children
    assert [cell.children for cell in head.children.children] == ["alert", "attempts", None]
    (shown,) = body.children
    heads = [cell.to_plotly_json()["props"]["data-head"] for cell in shown.children]
    assert heads == ["alert", "attempts", ""]
    assert frame.children.className == "ts-changes ts-button-rows ts-audit"


@pytest.mark.parametrize("empty", [[], "", None])
def test_an_empty_cell_has_no_head(empty):
    row = html.Tr([html.Th("a", scope="row"), html.Td(empty), html.Td(0), html.Td(["x"])])
    name_cells(("key", "since", "runs", "acknowledged"), [row])
    heads = [cell.to_plotly_json()["props"]["data-head"] for cell in row.children]
    assert heads == ["key", "", "runs", "acknowledged"]
