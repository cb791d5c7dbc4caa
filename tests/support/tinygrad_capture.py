"""tinygrad captures of our own, with the layout of each generation: `Maker("0.14")` collects events, `profile()` and
`rewrites()` give the bytes.

Generations: "2025" (December 2025), "0.12", "0.13" and "0.14". The pickled objects are stand-ins whose classes have the
names of tinygrad's; times are microseconds.
"""

import json
import pickle
import sys
import types
from contextlib import contextmanager
from decimal import Decimal

from data_loaders.tinygrad.versions import RELEASES

GENERATIONS = ("2025", "0.12", "0.13", "0.14")
START = 1_594_154_372_618
"""Picoseconds-free microseconds of a host's clock, as a machine has after some weeks."""


def _class(path, **body):
    module, _, name = path.rpartition(".")
    return type(name, (), {"__module__": module, "__qualname__": name, **body})


def _with_fields(self, **fields):
    self.__dict__.update(fields)


def _with_arguments(self, *args):
    self.args = args


def fields_class(path):
    """Return a class whose objects are pickled as their fields, as dataclasses are."""
    return _class(path, __init__=_with_fields)


def call_class(path):
    """Return a class whose objects are pickled as a call with their arguments."""
    return _class(path, __init__=_with_arguments, __reduce__=lambda self: (type(self), self.args))


H, D, A, U = "tinygrad.helpers.", "tinygrad.device.", "tinygrad.runtime.ops_amd.", "tinygrad.uop.ops."
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
UOp = call_class(U + "UOp")
CLASSES = [
    value for value in list(globals().values()) if isinstance(value, type) and value.__module__.startswith("tiny")
]


@contextmanager
def _importable(classes):
    """Let pickle find the stand-ins under tinygrad's names while it writes."""
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


def dumps(root, *more_classes, protocol=4):
    """Return the pickle of stand-ins; classes that are not in CLASSES are given too."""
    with _importable([*CLASSES, *more_classes]):
        return pickle.dumps(root, protocol)


def micros(value):
    """Return a time as tinygrad pickles it; text stays exact."""
    return Decimal(str(value))


_SIZES = {"float": (4, "f"), "int": (4, "i"), "half": (2, "e"), "double": (8, "d"), "unsigned char": (1, "B")}


class Maker:
    """A capture of one generation under construction; methods return it, to be chained."""

    def __init__(self, generation="0.12"):
        self.generation = generation
        self.events = []
        self.keys, self.steps, self.nodes = [], [], {}
        self._dtypes = {}

    @property
    def old(self):
        """Return whether ranges say that they are copies, as up to 0.12."""
        return self.generation in ("2025", "0.12")

    def add(self, event):
        self.events.append(event)
        return self

    def dtype(self, name="float"):
        if name not in self._dtypes:
            size, code = _SIZES[name]
            size = size if self.generation == "2025" else 8 * size
            more = () if self.generation == "0.14" else (1, None)
            self._dtypes[name] = DType(13, size, name, code, *more)
        return self._dtypes[name]

    def range(self, device, name, start, end, *, copy=False, key=None):
        fields = {"device": device, "name": name, "st": micros(start), "en": None if end is None else micros(end)}
        return self.add(RangeEvent(**fields, **self._marks(copy, key)))

    def _marks(self, copy, key):
        """Return the fields that the generations differ by."""
        if self.old:
            return {"is_copy": copy}
        return {"profile_key": key} if self.generation == "0.14" else {}

    def traced(self, name, keys=(), ret=None, stack=None):
        return TracingKey(display_name=name, keys=keys, ret=ret, tb=stack)

    def point(self, device, name, key, arg, at):
        return self.add(PointEvent(device=device, name=name, key=key, arg=arg, ts=micros(at)))

    def alloc(self, device, key, elements, at, dtype="float"):
        return self.point(device, "alloc", key, {"dtype": self.dtype(dtype), "sz": elements}, at)

    def free(self, device, key, at):
        return self.point(device, "free", key, {}, at)

    def launch(self, device, key, name, at, *, buffers=(), roles=((0,), (1,)), values=None, metadata=()):
        """Add a launch; `roles` are the places of the outputs and of the inputs among the buffers."""
        outputs, inputs = roles
        roles = (list(outputs), list(inputs)) if self.old else (tuple(outputs), tuple(inputs))
        said = {} if self.generation == "0.14" else {"metadata": metadata}
        said |= {"var_vals": values or {}, "bufs": list(buffers), "name": name, "outputs": roles[0], "inputs": roles[1]}
        return self.point(device, "exec", key, said, at)

    def marker(self, name, at, color="gray"):
        return self.point("TINY", "marker", None, {"name": name, "color": color}, at)

    def graph(self, entries, signals, keys=()):
        """Add a graph of (device, name, start's place, end's place) and its list of times."""
        known = [*keys, *[None] * len(entries)]
        made = [
            GraphEntry(device=device, name=name, st_id=start, en_id=end, **self._marks(False, key))
            for (device, name, start, end), key in zip(entries, known, strict=False)
        ]
        return self.add(GraphEvent(ents=made, deps=[[] for _ in made], sigs=[micros(at) for at in signals]))

    def device(self, name, offset=0, copy_offset=None, properties=None):
        said = {"device": name, "props": properties}
        if self.old:
            copies = None if copy_offset is None else micros(copy_offset)
            return self.add(DeviceEvent(**said, comp_tdiff=micros(offset), copy_tdiff=copies))
        return self.add(DeviceEvent(**said, tdiff=micros(offset)))

    def program(self, device, name, library=None, tag=0, key=None):
        more = {} if self.old else {"tag": tag}
        more |= {"profile_key": key} if self.generation == "0.14" else {}
        return self.add(ProgramEvent(device=device, name=name, lib=library, base=None, **more))

    def counters(self, device, kernel, samples, words, tag=1):
        """Add a reading of (name, xcc, inst, se, sa, wgp) samples."""
        axes = ("name", "xcc", "inst", "se", "sa", "wgp")
        made = [PmcSample(**dict(zip(axes, sample, strict=True)), block="SQ", off=0, size=8) for sample in samples]
        blob = b"".join(word.to_bytes(8, "little") for word in words)
        return self.add(PmcEvent(device=device, kern=kernel, sched=made, blob=blob, exec_tag=tag))

    def thread_trace(self, device, kernel, size):
        return self.add(SqttEvent(device=device, kern=kernel, se=0, blob=b"\x11" * size, itrace=True))

    def profile(self, protocol=4):
        return dumps(self.events, protocol=protocol)

    # rewrites.pkl

    def number(self, operation):
        """Return the pickled operation of this generation."""
        names = RELEASES["0.12" if self.old else self.generation]
        return Ops(names.index(operation) + 1)

    def uop(self, operation, sources=(), argument=None, dtype=None):
        return UOp(self.number(operation), dtype or self.dtype("int"), tuple(sources), argument, None, None)

    def node(self, operation, sources=(), argument=None, dtype=None):
        """Add a numbered node and return its number."""
        number = len(self.nodes)
        self.nodes[number] = (self.number(operation), dtype or self.dtype("int"), tuple(sources), argument, None)
        return number

    def rewrite(self, name, matches=0, depth=0, sink=0):
        found = [(0, 1, ("/home/someone/tinygrad/ops.py", 7), 1.5e-6) for _ in range(matches)]
        place = ("/home/someone/tinygrad/codegen.py", 42)
        more = {} if self.old else {"walk": False, "enter_calls": False}
        return TrackedRewrite(loc=place, sink=sink, matches=found, name=name, depth=depth, bottom_up=False, **more)

    def context(self, name, keys=(), steps=(), made=None, stack=None):
        self.keys.append(self.traced(name, keys, made, stack))
        self.steps.append(list(steps))
        return self

    def kernel(self, name, function, estimates=None, uops=(), *, source="void f() {}", key=None, size=(2, 1, 1)):
        """Add the context of a kernel: its program as 0.12 pickles it, or as a node from 0.13 on."""
        self.node("SINK", (), KernelInfo(name="base", axis_types=(), estimates=None))
        self.node("CONST", (), 7)
        step = self.rewrite("early", matches=2)
        if self.old:
            spec = {"name": name, "src": source, "device": "CPU", "ast": None, "uops": list(uops), "lib": b"\xc3" * 9}
            grid = {"global_size": list(size), "local_size": [1, 1, 1], "vars": [], "function_name": function}
            return self.context(name, (function,), [step], ProgramSpec(**spec, **grid))
        info = KernelInfo(name=name, axis_types=(), estimates=estimates and Estimates(**estimates), beam=0)
        target = Target(device="CPU", renderer="", arch="x86_64,native", interface="", indices="")
        program = ProgramInfo(name=name, global_size=size, local_size=(1, 1, 1), vars=(), target=target)
        parts = [self.node("SINK", (), info), self.node("LINEAR"), self.node("SOURCE", (), source)]
        parts.append(self.node("BINARY", (), b"\xc3" * 9))
        last = self.rewrite("View Program", sink=self.node("PROGRAM", parts, program))
        keys = (function, key) if key is not None else (function,)
        return self.context(name, keys, [step, last])

    def rewrites(self, protocol=4):
        return dumps(RewriteTrace(keys=self.keys, rewrites=self.steps, uop_fields=self.nodes), protocol=protocol)

    def pointer(self, elements, space=1):
        """Return the type of a pointer as up to 0.13: 1 global, 3 registers."""
        base = self.dtype("float")
        return PtrDType(*base.args, base, AddrSpace(space), 1, elements)


def gemm_uops(maker, n):
    """Return the operations of a plain N x N x N matrix product: N threads with a loop over columns and one over K."""
    real = maker.dtype("float")
    size = maker.uop("CONST", (), n)
    c, a, b = (maker.uop("DEFINE_GLOBAL", (), place, maker.pointer(n * n)) for place in range(3))
    register = maker.uop("DEFINE_REG", (), 0, maker.pointer(1, space=3))
    zero = maker.uop("CONST", (), 0)
    row, column, k = (
        maker.uop("SPECIAL", (size,), "gidx0"),
        maker.uop("RANGE", (size,), 0),
        maker.uop("RANGE", (size,), 1),
    )
    row_begin = maker.uop("MUL", (row, size))
    a_place, b_row = maker.uop("ADD", (row_begin, k)), maker.uop("MUL", (k, size))
    b_place, c_place = maker.uop("ADD", (b_row, column)), maker.uop("ADD", (row_begin, column))
    pointers = [
        maker.uop("INDEX", (base, place), None, maker.pointer(n * n))
        for base, place in ((a, a_place), (b, b_place), (c, c_place))
    ]
    total = maker.uop("INDEX", (register, zero), None, maker.pointer(1, space=3))
    before, left = maker.uop("LOAD", (total,), None, real), maker.uop("LOAD", (pointers[0],), None, real)
    right = maker.uop("LOAD", (pointers[1],), None, real)
    product = maker.uop("MUL", (left, right), None, real)
    summed = maker.uop("ADD", (before, product), None, real)
    kept = maker.uop("STORE", (total, summed))
    result = maker.uop("LOAD", (total,), None, real)
    stored = maker.uop("STORE", (pointers[2], result))
    address = [size, zero, c, a, b, register, row, column, row_begin, c_place, pointers[2]]
    loop = [k, a_place, b_row, b_place, *pointers[:2], total, before, left, right, product, summed, kept]
    return [*address, *loop, maker.uop("END", (kept, k)), result, stored, maker.uop("END", (stored, column))]


def coloured(name):
    """Return a kernel's name with tinygrad's colours: `r_32_4` has a blue 32 and a yellow 4."""
    first, *numbers = name.split("_")
    codes = ["34", "33", "31", "36", "35"]
    axes = [f"\x1b[{code}m{number}\x1b[0m" for code, number in zip(codes * len(numbers), numbers, strict=False)]
    return "\x1b[90m_\x1b[0m".join([first, *axes])


def export_lines():
    """Return what `python -m tinygrad.viz.cli --json` prints: a method, a span, a kernel, a copy and a marker."""
    rates = {"FLOPS": 1_000_000_000, "B/s mem": 2_000_000, "B/s lds": 3_000_000, "metadata": "__matmul__"}
    rows = [
        {"device": "SOURCE", "name": "CPU Memory", "st_ms": 0, "ref": None, "ext": None},
        {"device": "USER", "name": "matmul", "dur_ms": 3.5, "st_ms": 0.0, "fmt": {"loc": "a.py:3 f"}, "ref": None},
        {"device": "MARKER", "name": "train @ 0", "st_ms": 0.5, "ref": None, "ext": None},
        {"device": "TINY", "name": "linearize", "dur_ms": 0.0023, "st_ms": 0.7, "fmt": {}, "ref": None, "ext": ""},
        {"device": "CPU", "name": coloured("r_8_8"), "dur_ms": 0.5, "st_ms": 1.125, "fmt": rates, "ref": 4, "ext": ""},
        {"device": "CPU Graph", "name": "batched 2", "dur_ms": 1.0, "st_ms": 2.0, "fmt": {}, "ref": None, "ext": ""},
        {
            "device": "CPU:COPY",
            "name": "TINY -> CPU",
            "dur_ms": 0.25,
            "st_ms": 2.5,
            "fmt": {"B/s": 4, "B": 64},
            "ref": None,
        },
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def training(generation="0.12", steps=3, size=8):
    """Return a small training run: a copy, steps of two kernels and a graph, buffers that come and go, markers."""
    maker = Maker(generation)
    names = {"r_8_8": coloured("r_8_8"), "E_8": coloured("E_8")}
    stack = (("/home/someone/tinygrad/tensor.py", 12, "_wrapper", "ret = fn()"), ("train.py", 3, "<module>", "step(x)"))
    keys = {"r_8_8": b"\x01" * 32, "E_8": b"\x02" * 32}
    maker.device("CPU").alloc("CPU", 0, size * size, START).alloc("NPY", 1, size * size, START + 1)
    maker.launch("CPU", 10, "\x1b[33mcopy  256 B, CPU <- NPY\x1b[0m", START + 2, buffers=(0, 1))
    row = "CPU" if maker.old else "CPU:COPY"
    maker.range(row, "TINY -> CPU", f"{START + 3}.25", f"{START + 4}.5", copy=True).free("NPY", 1, START + 5)
    for step in range(steps):
        at = START + 100 * (step + 1)
        maker.marker(f"train @ {step}", at, "blue").alloc("CPU", 2 + step, size * size, at + 1)
        maker.range("USER", maker.traced("matmul", stack=stack), at + 2, at + 60).range(
            "TINY", "linearize", at + 3, at + 9
        )
        for place, name in enumerate(("r_8_8", "E_8")):
            begin = at + 10 + 20 * place
            maker.launch("CPU", 20 + 2 * step + place, names[name], begin, buffers=(2 + step, 0))
            maker.range("CPU", name, f"{begin}.5", f"{begin + 10}.75", key=keys[name])
        entries = [("CPU", "r_8_8", 0, 1), ("CPU", "E_8", 2, 3)]
        maker.graph(entries, [at + 70, at + 75, at + 76, at + 80], keys.values())
        maker.free("CPU", 2 + step, at + 90)
    estimates = {"ops": 2 * size**3, "lds": 8 * size**3, "mem": 12 * size * size}
    uops = gemm_uops(maker, size) if maker.old else ()
    maker.kernel(names["r_8_8"], "r_8_8", estimates, uops, source="void r_8_8(float* a) {}", key=keys["r_8_8"])
    estimates = {"ops": size, "lds": 8 * size, "mem": 8 * size}
    maker.kernel(names["E_8"], "E_8", estimates, source="void E_8() {}", key=keys["E_8"])
    maker.context(
        "Schedule 2 Kernels n1", ("Schedule 2 Kernels n1",), [maker.rewrite("view", 1), maker.rewrite("in", 3, 1)]
    )
    return maker


def long_training(steps, generation="0.12", kernels=28):
    """Return a training run with 35 events a step, one of them a graph; 33,400 steps are 1.17 million events."""
    maker = Maker(generation).device("CPU", "-1.59725")
    names = [f"r_{place}_8" for place in range(kernels)]
    file = "/home/someone/model.py"
    outer = (file, 3, "<module>", "step()")
    stacks = [((file, line, "forward", f"x = self.layer{line}(x)"), outer) for line in range(12)]
    replayed = Maker(generation).graph([("CPU", name, 2 * k, 2 * k + 1) for k, name in enumerate(names)], ()).events[0]
    for step in range(steps):
        at = START + 1000 * step
        maker.marker(f"train @ {step}", at)
        for place, stack in enumerate(stacks):
            maker.range("USER", maker.traced(f"method{place}", stack=stack), f"{at + place}.125", f"{at + place + 3}.5")
        for place in range(10):
            maker.range("TINY", f"rewrite {place}", f"{at + 40 + place}.001", f"{at + 41 + place}.998")
        for place in range(4):
            maker.alloc("CPU", 4 * step + place, 1000 + place, f"{at + 60 + place}.5")
        for place in range(3):
            number = 3 * step + place
            maker.launch(
                "CPU", number, coloured(names[place]), f"{at + 70 + place}.25", buffers=(4 * step, 4 * step + 1)
            )
        times = [micros(f"{at + 100 + 2 * place}.375") for place in range(2 * kernels)]
        maker.add(GraphEvent(ents=replayed.ents, deps=replayed.deps, sigs=times))
        for place in range(4):
            maker.free("CPU", 4 * step + place, f"{at + 900 + place}.5")
    return maker
