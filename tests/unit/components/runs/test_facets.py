from components.runs.facets import facet, facet_id, facet_options, find_id
from tests.support.components import every


def text(component) -> str:
    children = (
        component if isinstance(component, list) else getattr(component, "children", component)
    )
    return (
        "".join(text(child) for child in children) if isinstance(children, list) else str(children)
    )


def test_a_value_shows_its_count():
    option = facet_options([("npu2", 1200)])[0]
    assert option["value"] == "npu2"
    assert text(option["label"]) == "npu21\u202f200"


def test_the_missing_value_is_a_dash():
    assert text(facet_options([("", 3)])[0]["label"]) == "–3"


def test_a_value_without_runs_is_pale_but_there():
    full, none = facet_options([("a", 1), ("b", 0)])
    assert "ts-none" in none["label"].className
    assert "ts-none" not in full["label"].className


def test_a_facet_has_its_name_and_what_is_chosen():
    laid_out = facet("runs", "hwid", "hwid", [("npu1", 1), ("npu2", 2)], ["npu2"])
    legend, boxes, _ = laid_out.children
    assert legend.children == "hwid"
    assert boxes.value == ["npu2"]
    assert boxes.id == facet_id("runs", "hwid")


def test_a_facet_of_more_values_than_are_listed_has_a_search():
    few = facet("runs", "hwid", "hwid", [("npu1", 1)], [])
    many = facet("runs", "hwid", "hwid", [("npu1", 1)], [], searched=812)
    assert not list(every(few, "Input"))
    (field,) = every(many, "Input")
    assert field.id == find_id("runs", "hwid")
    assert "812" in field.placeholder
