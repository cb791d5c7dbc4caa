"""First sentence of the page of a profile: where the time of its devices goes."""

from __future__ import annotations

from components.kernels.device_words import device_sentence
from components.kernels.operators_grid import heaviest_operator
from services.run.capabilities import Capability
from services.run.data import RunData


def profile_sentence(data: RunData) -> str:
    """Compose the sentence of command `breakdown`; "" if the source does not class executions.

    A trace with operators and no device has the sentence too: it says that there is no device, and
    which operator takes most of the host's time.
    """
    has_host_alone = data.can(Capability.OPERATORS) and not data.can(Capability.KERNELS)
    if not data.can(Capability.DEVICE_CLASSES) and not has_host_alone:
        return ""
    result = data.profile.breakdown
    sentence = device_sentence(result.devices, result.idle, result.step_ns)
    operators = data.profile.operators
    if result.devices or operators.rows.empty:
        return sentence
    return f"{sentence} {heaviest_operator(operators.rows, operators.unattributed[1])}"
