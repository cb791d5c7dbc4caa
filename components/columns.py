"""Columns of grids: a record with heading, format and look of a column, and its AG Grid
definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Literal

from components.numbers import DASH, number_text
from schema.table_columns import Format, TableColumn

_LETTER_PX, _HEADING_PX = 7.0, 20
"""Width of a letter of a heading, and of its padding on both sides."""
NO_TOOLTIP = ""
"""`tooltip` of a number column whose cells need no tooltip."""
_MONO = "ts-mono"
_NUMBER = {"type": "rightAligned", "cellClass": "ts-number ag-right-aligned-cell"}
_SHOWN: Mapping[Format, str] = MappingProxyType(
    {
        Format.WHOLE: "tsInteger(params.value)",
        Format.SIGNIFICANT: "tsSignificant(params.value)",
        Format.SHARE: "tsPercent(params.value)",
        Format.SIZE: "tsBytes(params.value)",
        Format.ADDRESS: "tsHex(params.value)",
        Format.DURATION: "tsDuration(params.value)",
        Format.RATE: "tsRate(params.value, '{unit}')",
    }
)
"""Format of numbers -> script for the text of a cell."""
_TOOLTIPS: Mapping[Format, str] = MappingProxyType(
    {
        Format.WHOLE: "tsInteger(params.value)",
        Format.SIGNIFICANT: "tsSignificant(params.value)",
        Format.SHARE: "tsPercent(params.value)",
        Format.SIZE: "tsExact(params.value, 'B')",
        Format.ADDRESS: "tsExact(params.value, '')",
        Format.DURATION: "tsWhole(params.value, 'ns')",
        Format.RATE: "tsWhole(params.value, '{unit}')",
    }
)
"""Format of numbers -> script for a cell's tooltip, which has the exact number."""
_TEXT_FILTER: Mapping[str, Any] = MappingProxyType(
    {"filter": "agTextColumnFilter", "filterParams": {"maxNumConditions": 1}}
)
"""Filter properties of a text column.

Only some columns have them: the filter button takes too much width.
"""


@dataclass(frozen=True, kw_only=True)
class GridColumn(TableColumn):
    """A column of a grid; a script is an AG Grid expression of `params`.

    `value`: script of the cell's value if the value is not a field of the row. `text_field`: field
    with the cell's text; a dash is shown when it is null. `tooltip_field`: field with the tooltip's
    text. `shown`, `tooltip`: scripts that replace the scripts of the format. `grows`: share of the
    leftover width that the column gets in addition to its width. `bar`: script of a share drawn as
    a bar behind the number. `marks`: CSS class of a cell -> script of the condition for it. `more`:
    further AG Grid properties of this column.
    """

    grows: int = 0
    pinned: Literal["", "left", "right"] = ""
    is_mono: bool = False
    is_filtered: bool = False
    is_hidden: bool = False
    value: str = ""
    text_field: str = ""
    shown: str = ""
    tooltip: str | None = None
    tooltip_field: str = ""
    bar: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, column: TableColumn, **look: Any) -> GridColumn:  # noqa: ANN401 - fields of the record
        """Create a grid column from a column that exports and the command line use too.

        `look` sets the fields that only grid columns have, or replaces values of `column`.
        """
        return cls(
            **{shared.name: getattr(column, shared.name) for shared in fields(TableColumn)} | look
        )

    def without_filter(self) -> GridColumn:
        """Return a copy of the column without its filter and without filter properties in `more`."""
        more = {name: value for name, value in self.more.items() if not name.startswith("filter")}
        return replace(self, is_filtered=False, more=more)


def column_definitions(columns: Iterable[GridColumn]) -> list[dict[str, Any]]:
    """Convert columns to AG Grid's column definitions, a dict per column in the same order."""
    return [_definition(column) for column in columns]


def _definition(column: GridColumn) -> dict[str, Any]:
    # A heading that is cut names another thing: "share of a...".
    width = max(column.width, round(_LETTER_PX * len(column.label)) + _HEADING_PX)
    return {
        **(
            _function("valueGetter", column.value) | {"colId": column.name}
            if column.value
            else {"field": column.name}
        ),
        "headerName": column.label,
        **({"headerTooltip": column.help} if column.help else {}),
        **({"minWidth": width, "flex": column.grows} if column.grows else {"width": width}),
        **({"pinned": column.pinned} if column.pinned else {}),
        **(_NUMBER if column.format.is_number else {}),
        **({"cellClass": _MONO} if column.is_mono else {}),
        **(_TEXT_FILTER if column.is_filtered else {}),
        **_function("valueFormatter", _shown_text(column)),
        **_function("tooltipValueGetter", _tooltip(column)),
        **({"tooltipField": column.tooltip_field} if column.tooltip_field else {}),
        **_function("cellStyle", f"tsShareBar({column.bar})" if column.bar else ""),
        **({"cellClassRules": dict(column.marks)} if column.marks else {}),
        **({"sortable": False} if not column.sort else {}),
        **({"hide": True} if column.is_hidden else {}),
        **column.more,
    }


def cell_text(column: GridColumn, row: Mapping[str, Any]) -> str:
    """Format a cell of a row (field -> value) as text with its unit for tables without scripts; ""
    for a missing value.
    """
    value = row.get(column.text_field or column.name)
    if value is None:
        return ""
    is_text = column.text_field or not column.format.is_number
    return str(value) if is_text else number_text(value, column.format, column.unit)


def _shown_text(column: GridColumn) -> str:
    if not column.text_field:
        return column.shown or _script(_SHOWN, column)
    text = f"params.data.{column.text_field}"
    return f"{text} == null ? '{DASH}' : {text}"


def _tooltip(column: GridColumn) -> str:
    if column.tooltip is not None:
        return column.tooltip
    return "" if column.tooltip_field else _script(_TOOLTIPS, column)


def _script(scripts: Mapping[Format, str], column: TableColumn) -> str:
    return scripts.get(column.format, "").format(unit=column.unit)


def _function(name: str, script: str) -> dict[str, Any]:
    return {name: {"function": script}} if script else {}
