"""Stand-ins for the objects that tinygrad pickles: own classes under tinygrad's names."""

from __future__ import annotations

import pickle
import sys
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal


class Fields:
    """An object that is pickled as its fields, like instances of dataclasses."""

    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)


class Called:
    """An object that is pickled as a call of its class with `args`."""

    def __init__(self, *args: object) -> None:
        self.args = args

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), self.args


def fields_class(path: str) -> type[Fields]:
    """Create a class under a name of tinygrad; its objects are pickled as their fields."""
    module, _, name = path.rpartition(".")
    return type(name, (Fields,), {"__module__": module, "__qualname__": name})


def call_class(path: str) -> type[Called]:
    """Create a class under a name of tinygrad.

    Its objects are pickled as a call with their arguments.
    """
    module, _, name = path.rpartition(".")
    return type(name, (Called,), {"__module__": module, "__qualname__": name})


H, D, A, U = (
    "tinygrad.helpers.",
    "tinygrad.device.",
    "tinygrad.runtime.ops_amd.",
    "tinygrad.uop.ops.",
)
RangeEvent = fields_class(H + "ProfileRangeEvent")
PointEvent = fields_class(H + "ProfilePointEvent")
TracingKey = fields_class(H + "TracingKey")
Metadata = fields_class(H + "Metadata")
Target = fields_class(H + "Target")
DeviceEvent = fields_class(D + "ProfileDeviceEvent")
ProgramEvent = fields_class(D + "ProfileProgramEvent")
GraphEvent = fields_class(D + "ProfileGraphEvent")
GraphEntry = fields_class(D + "ProfileGraphEntry")
SqttEvent = fields_class(A + "ProfileSQTTEvent")
PmcEvent = fields_class(A + "ProfilePMCEvent")
PmcSample = fields_class(A + "PMCSample")
RewriteTrace = fields_class(U + "RewriteTrace")
TrackedRewrite = fields_class(U + "TrackedGraphRewrite")
KernelInfo = fields_class(U + "KernelInfo")
ProgramInfo = fields_class(U + "ProgramInfo")
ParamArg = fields_class(U + "ParamArg")
ProgramSpec = fields_class("tinygrad.renderer.ProgramSpec")
Estimates = fields_class("tinygrad.renderer.Estimates")
DType = call_class("tinygrad.dtype.DType")
PtrDType = call_class("tinygrad.dtype.PtrDType")
AddrSpace = call_class("tinygrad.dtype.AddrSpace")
Ops = call_class("tinygrad.uop.Ops")
Opt = fields_class("tinygrad.codegen.opt.Opt")
OptOps = call_class("tinygrad.codegen.opt.OptOps")
UOp = call_class(U + "UOp")
CLASSES = [
    value
    for value in list(globals().values())
    if isinstance(value, type) and value.__module__.startswith("tiny")
]
"""All stand-in classes of this module."""


@contextmanager
def _importable(classes: Iterable[type]) -> Iterator[None]:
    """Let pickle find the stand-ins under tinygrad's names while it writes.

    An object can only be pickled if its class is importable; tinygrad itself need not be installed.
    """
    before = dict(sys.modules)
    for kind in classes:
        parts = kind.__module__.split(".")
        for name in (".".join(parts[:count]) for count in range(1, len(parts) + 1)):
            sys.modules.setdefault(name, types.ModuleType(name))
        setattr(sys.modules[kind.__module__], kind.__name__, kind)
    try:
        yield
    finally:
        for name in set(sys.modules) - set(before):
            if name.startswith("tinygrad"):
                del sys.modules[name]


def dumps(root: object, *more_classes: type, protocol: int = 4) -> bytes:
    """Pickle stand-ins; classes that are not in CLASSES must be passed as `more_classes`."""
    with _importable([*CLASSES, *more_classes]):
        return pickle.dumps(root, protocol)


def micros(value: float | str) -> Decimal:
    """Return a time as tinygrad pickles it; text stays exact."""
    return Decimal(str(value))
