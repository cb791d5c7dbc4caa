"""Records of a run's devices, operators, ranks, memory and peaks, each with the sentence of its page.

Commands with `--json`, the HTTP API and assistants get the same record.
"""

from __future__ import annotations

from typing import Any

from analysis.kernels.ranks import Ranks
from analysis.memory.allocation_totals import AllocationTotals
from analysis.memory.device_memory import DeviceMemory
from analysis.peak.report import PeakReport
from components.kernels.device_words import device_sentence, idle_caption
from components.kernels.operator_words import operators_sentence
from components.kernels.operators_grid import operators_caption
from components.kernels.rank_words import ranks_sentence
from components.memory.allocation_words import allocations_sentence
from components.memory.device_memory_words import memory_sentence
from components.memory.peak_words import advice_lines, lacking_sentences, peak_sentence
from services.run.allocation_totals import allocation_totals_mapping, find_allocation_totals
from services.run.breakdown import Breakdown, breakdown_mapping, idle_mapping
from services.run.data import RunData
from services.run.device_memory import device_memory_mapping, find_device_memory
from services.run.node_operators import (
    NodeOperators,
    find_node_operators,
    has_node_operators,
    node_operators_mapping,
)
from services.run.operators import Operators, find_operators, operators_mapping
from services.run.peak import find_peaks, peak_mapping
from services.run.ranks import ranks_mapping
from storage.repository import Repository

Record = dict[str, Any]
"""JSON object with `sentence`; times are in ns, sizes in bytes, None if unknown."""


def breakdown_record(result: Breakdown) -> Record:
    """Build the record of where the time of devices goes."""
    sentence = device_sentence(result.devices, result.idle, result.step_ns)
    return breakdown_mapping(result) | {"sentence": sentence}


def idle_record(result: Breakdown) -> Record:
    """Build the record of why devices idle; without a device the sentence says so."""
    sentence = idle_caption(result.busiest, result.idle) or device_sentence([], [], None)
    return idle_mapping(result) | {"sentence": sentence}


def operators_record(operators: Operators | NodeOperators) -> Record:
    """Build the record of operators; of ONNX Runtime an operator is a type of nodes."""
    if isinstance(operators, NodeOperators):
        sentence = operators_sentence(
            operators.rows, operators.runs, operators.unattributed, operators.outside_ns
        )
        mapping = node_operators_mapping(operators)
        return mapping | {"sentence": sentence or "No operator took time."}
    caption = operators_caption(operators.rows, operators.unattributed, operators.unknown)
    return operators_mapping(operators) | {"sentence": caption}


def find_run_operators(repository: Repository, run_id: str) -> Operators | NodeOperators:
    """Find the operators of a run: types of nodes for a profile of ONNX Runtime.

    Raises RunNotFound, and ValueError if the run has no operators.
    """
    if has_node_operators(str(repository.find_run(run_id).run["source"])):
        return find_node_operators(repository, run_id)
    return find_operators(repository, run_id)


def ranks_record(ranks: Ranks) -> Record:
    """Build the record of the ranks of a job."""
    return ranks_mapping(ranks) | {"sentence": ranks_sentence(ranks)}


def find_run_memory(repository: Repository, run_id: str) -> AllocationTotals | DeviceMemory:
    """Find the memory of a run: allocations of a module of XLA, else the memory of devices.

    Raises RunNotFound, and ValueError if the run has neither.
    """
    totals = find_allocation_totals(repository, run_id)
    return find_device_memory(repository, run_id) if totals is None else totals


def memory_record(memory: AllocationTotals | DeviceMemory) -> Record:
    """Build the record of the memory of a run."""
    if isinstance(memory, AllocationTotals):
        return allocation_totals_mapping(memory) | {"sentence": allocations_sentence(memory)}
    return device_memory_mapping(memory) | {"sentence": memory_sentence(memory)}


def peaks_record(data: RunData, attempt: int | None = None) -> Record:
    """Build the record of a run's memory peaks, the headline's first, with a sentence about it.

    Raises ValueError as `find_peaks` does.
    """
    reports = find_peaks(data, attempt)
    return {
        "run_id": data.run_id,
        "unit": "bytes",
        "peaks": [_peak_record(report, data.unit) for report in reports],
        "sentence": peak_sentence(reports[0]),
    }


def _peak_record(report: PeakReport, unit: str) -> Record:
    record = peak_mapping(report, unit)
    for advice, sentence in zip(record["advice"], advice_lines(report), strict=True):
        advice["sentence"] = sentence
    return record | {
        "sentence": peak_sentence(report),
        "notes": list(lacking_sentences(report)),
    }
