"""Header of a run's page: facts of the run, method, links, and the settings that change numbers."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

import dash_bootstrap_components as dbc
import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from app.views.controls import choice
from app.views.drawing import Properties
from app.views.state import AS_STORED, RunState
from components.numbers import shorten
from components.runs.list_address import list_address
from components.runs.run_facts import file_fact, origin_facts, shape_facts
from schema.choices import METHODS
from schema.devices import DEVICES, PRECISION
from schema.run_settings import DEVICE, PEAK_MACS_PER_CYCLE
from services.run.capabilities import Capability
from services.run.data import RunData

INPUTS: Mapping[str, tuple[str, str]] = {
    "clock_hz": ("clock", "Hz, or with unit such as 1.25GHz"),
    "peak_macs_per_cycle": ("peak", "MAC per cycle and core"),
    "boundary_factor": ("boundary", "median kernels: a lock stall that ends an iteration"),
    "warmup": ("warmup", "leading iterations that are not measured"),
    "iterations": ("iterations", "measured iterations"),
    "M": ("M", "rows of the GEMM's output"),
    "K": ("K", "reduction length of the GEMM"),
    "N": ("N", "columns of the GEMM's output"),
    "m": ("m", "rows of a kernel's tile"),
    "k": ("k", "reduction length of a kernel's tile"),
    "n": ("n", "columns of a kernel's tile"),
    "rows": ("rows", "rows of cores that share the work"),
    "cols": ("cols", "columns of cores that share the work"),
}
"""Settings that change a capture's numbers: name -> label, meaning."""
PEAK_INPUTS: Mapping[str, tuple[str, str]] = {
    "peak_flops": (
        "peak compute",
        "operations per second, such as 4TFLOPS: the flat part of the roofline",
    ),
    "peak_bytes_per_s": (
        "peak memory",
        "bytes per second, such as 900GB/s: the slope of the roofline",
    ),
}
"""Settings that change a profile's numbers."""


def setting_inputs(data: RunData) -> Mapping[str, tuple[str, str]]:
    """Return the settings that change a run's numbers, name -> (label, meaning); empty unless the
    run is a profile or a capture with iterations.
    """
    if data.can(Capability.NAMED_KERNELS):
        return PEAK_INPUTS
    return INPUTS if data.can(Capability.ITERATIONS) else {}


def header(
    run: pd.Series,
    run_id: str,
    state: RunState,
    parts: Properties,
    *,
    methods: bool,
    perfetto: bool,
) -> html.Header:
    """Lay out the header for a row of frame `run`; `parts` has the properties of components by id.

    `methods` adds the selector of the method, `perfetto` the link that opens the run in Perfetto.
    """
    return html.Header(
        [
            dcc.Link("‹ runs", href=list_address(), className="ts-back"),
            html.H1(" · ".join(_facts(run)), title=f"{run['name']} · {run['file']} · {run_id}"),
            html.Span(
                " · ".join(_origin(run)),
                className="ts-run-origin ts-muted",
                title=f"captured (UTC), commit, branch, file: {' · '.join(_origin(run))}",
            ),
            html.Span(str(run["source"]), className="ts-badge", title="source"),
            html.Span(className="ts-grow"),
            *([_method(state)] if methods else []),
            dbc.DropdownMenu(
                id="run-compare",
                label="Compare",
                align_end=True,
                toggleClassName="ts-button",
                **parts["run-compare"],
            ),
            html.Button(
                "Share", className="ts-button copy-link", title="Copy the address of this view"
            ),
            *([_perfetto(run_id)] if perfetto else []),
            html.A("Snapshot", id="run-snapshot", className="ts-button", **parts["run-snapshot"]),
            dbc.DropdownMenu(
                id="run-export",
                label="Export",
                align_end=True,
                toggleClassName="ts-button",
                **parts["run-export"],
            ),
        ],
        className="ts-run-header",
    )


def _perfetto(run_id: str) -> html.A:
    return html.A(
        "Open in Perfetto",
        href=f"/perfetto/{quote(run_id)}",
        target="_blank",
        className="ts-button",
        title="Open lanes, memory and markers of this run in the trace viewer Perfetto",
    )


def _method(state: RunState) -> html.Label:
    return html.Label(
        ["method ", choice("method", {m: m for m in METHODS}, state.method)],
        title="robust repairs lost markers and cut captures; reference reproduces the numbers of the team's script exactly",
    )


def _facts(run: pd.Series) -> list[str]:
    """Return short texts about a run: hardware if known, and its GEMM with grid and tile, or else
    its name.
    """
    facts = [str(run["hwid"])] if pd.notna(run["hwid"]) and run["hwid"] else []
    if run[["M", "K", "N"]].isna().any():
        return [*facts, shorten(str(run["name"]))]
    facts.append(f"gemm {run['M']}×{run['K']}×{run['N']}")
    if run[["rows", "cols"]].notna().all():
        tiles = (
            f" of {run['m']}×{run['k']}×{run['n']}" if run[["m", "k", "n"]].notna().all() else ""
        )
        facts.append(f"{run['rows']}×{run['cols']} tiles{tiles}")
    return facts


def _origin(run: pd.Series) -> list[str]:
    """Return texts about a capture: date, commit, branch and file as far as known, and its tile and
    grid if the title has no GEMM.
    """
    values = run.to_dict()
    shape = shape_facts(values) if run[["M", "K", "N"]].isna().any() else []
    return [*origin_facts(values), *shape, file_fact(values)]


def settings_form(
    run: pd.Series, state: RunState, inputs: Mapping[str, tuple[str, str]] = INPUTS
) -> html.Details:
    """Lay out the settings of a run, unfolded if the view overrides a setting: stored values as
    placeholders, overrides as values.
    """
    fields: list[Component] = [_field(run, state, key, *words) for key, words in inputs.items()]
    if inputs is INPUTS:
        fields.append(_data_type(run, state))
    if inputs is PEAK_INPUTS:
        fields.insert(0, _device(run, state))
    fields.append(html.Button("As stored", id="run-settings-reset", className="ts-button"))
    return html.Details(
        [
            html.Summary("Settings", id="run-settings-summary"),
            html.Div(fields, id="run-settings", className="ts-settings"),
        ],
        open=bool(state.overrides),
    )


def _field(run: pd.Series, state: RunState, key: str, label: str, meaning: str) -> html.Div:
    """Lay out the input of setting `key` of a run with its label, and a message if its value is
    invalid.
    """
    value = dbc.Input(
        id={"type": "run-setting", "key": key},
        value=state.overrides.get(key, ""),
        placeholder=_value_text(key, run[key]),
        type="text",
        debounce=True,
        size="sm",
    )
    refusal = html.P(
        "", id={"type": "run-setting-refusal", "key": key}, className="ts-refusal", role="alert"
    )
    return html.Div([html.Label([html.Span(label), value], title=meaning), refusal])


def _data_type(run: pd.Series, state: RunState) -> html.Label:
    dtypes = {
        AS_STORED: f"as stored ({_value_text('mac_dtype', run['mac_dtype'])})",
        **{name: name for name in PEAK_MACS_PER_CYCLE},
    }
    return html.Label(
        [
            html.Span("data type"),
            choice("mac_dtype", dtypes, state.overrides.get("mac_dtype", AS_STORED)),
        ],
        title="sets the peak: " + ", ".join(f"{k} {v:g}" for k, v in PEAK_MACS_PER_CYCLE.items()),
    )


def _device(run: pd.Series, state: RunState) -> html.Label:
    names = {
        AS_STORED: f"as stored ({_value_text(DEVICE, run[DEVICE])})",
        **{device.name: device.name for device in DEVICES},
    }
    return html.Label(
        [html.Span("device"), choice(DEVICE, names, state.overrides.get(DEVICE, AS_STORED))],
        title=f"sets both peaks: {PRECISION}, and memory bandwidth; an explicit peak takes precedence",
    )


def _value_text(key: str, value: float | str) -> str:
    if pd.isna(value) or value == "":
        return "not known"
    if key == "clock_hz" and isinstance(value, float):
        return f"{value / 1e9:g}GHz"
    return f"{value:g}" if isinstance(value, float) else str(value)
