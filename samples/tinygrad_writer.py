"""Write tinygrad captures in the format of each generation.

`Maker("0.14")` collects events; `profile()` and `rewrites()` return the bytes of its two files. The
generations are "2025" (December 2025), "0.12", "0.13" and "0.14". Times are microseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat

from samples.tinygrad_objects import (
    AddrSpace,
    Called,
    DeviceEvent,
    DType,
    Estimates,
    Fields,
    GraphEntry,
    GraphEvent,
    KernelInfo,
    Ops,
    PmcEvent,
    PmcSample,
    PointEvent,
    ProgramEvent,
    ProgramInfo,
    ProgramSpec,
    PtrDType,
    RangeEvent,
    RewriteTrace,
    SqttEvent,
    Target,
    TracingKey,
    TrackedRewrite,
    UOp,
    dumps,
    micros,
)
from samples.tinygrad_operations import operation_number

GENERATIONS = ("2025", "0.12", "0.13", "0.14")
_SIZES = {
    "void": (0, None),
    "float": (4, "f"),
    "int": (4, "i"),
    "half": (2, "e"),
    "double": (8, "d"),
    "unsigned char": (1, "B"),
}
"""Name of a type -> its size in bytes and its struct code."""
Time = float | str
"""Microseconds; text stays exact."""


class Maker:
    """A capture of a generation under construction.

    Methods that add to it return it, to be chained.
    """

    def __init__(self, generation: str = "0.12") -> None:
        self.generation = generation
        self.events: list[object] = []
        self.keys: list[Fields] = []
        self.steps: list[list[Fields]] = []
        self.nodes: dict[int, tuple[object, ...]] = {}
        self._dtypes: dict[str, Called] = {}

    @property
    def old(self) -> bool:
        """Whether ranges have a field `is_copy`, as up to 0.12."""
        return self.generation in ("2025", "0.12")

    def add(self, event: object) -> Maker:
        self.events.append(event)
        return self

    def dtype(self, name: str = "float") -> Called:
        if name not in self._dtypes:
            size, code = _SIZES[name]
            # Sizes of types are in bytes up to December 2025 and in bits since.
            size = size if self.generation == "2025" else 8 * size
            more = () if self.generation == "0.14" else (1, None)
            self._dtypes[name] = DType(13, size, name, code, *more)
        return self._dtypes[name]

    def range(
        self,
        device: str,
        name: object,
        start: Time,
        end: Time | None,
        *,
        copy: bool = False,
        key: object = None,
    ) -> Maker:
        fields = {
            "device": device,
            "name": name,
            "st": micros(start),
            "en": None if end is None else micros(end),
        }
        return self.add(RangeEvent(**fields, **self._marks(copy, key)))

    def _marks(self, copy: bool, key: object) -> dict[str, object]:
        """Return the fields of a range that differ between generations."""
        if self.old:
            return {"is_copy": copy}
        return {"profile_key": key} if self.generation == "0.14" else {}

    def tracing_key(
        self, name: str, keys: Sequence[object] = (), ret: object = None, stack: object = None
    ) -> Fields:
        return TracingKey(display_name=name, keys=keys, ret=ret, tb=stack)

    def point(self, device: str, name: str, key: object, arg: object, at: Time) -> Maker:
        return self.add(PointEvent(device=device, name=name, key=key, arg=arg, ts=micros(at)))

    def alloc(
        self, device: str, key: object, elements: int, at: Time, dtype: str = "float"
    ) -> Maker:
        return self.point(device, "alloc", key, {"dtype": self.dtype(dtype), "sz": elements}, at)

    def free(self, device: str, key: object, at: Time) -> Maker:
        return self.point(device, "free", key, {}, at)

    def launch(
        self,
        device: str,
        key: object,
        name: object,
        at: Time,
        *,
        buffers: Iterable[object] = (),
        roles: tuple[Iterable[int], Iterable[int]] = ((0,), (1,)),
        values: Mapping[str, object] | None = None,
        metadata: object = (),
    ) -> Maker:
        """Add a launch; `roles` are the positions of outputs and inputs in `buffers`."""
        outputs, inputs = roles
        roles = (list(outputs), list(inputs)) if self.old else (tuple(outputs), tuple(inputs))
        fields: dict[str, object] = {} if self.generation == "0.14" else {"metadata": metadata}
        fields |= {"var_vals": values or {}, "bufs": list(buffers), "name": name}
        fields |= {"outputs": roles[0], "inputs": roles[1]}
        return self.point(device, "exec", key, fields, at)

    def marker(self, name: str, at: Time, color: object = "gray") -> Maker:
        return self.point("TINY", "marker", None, {"name": name, "color": color}, at)

    def graph(
        self,
        entries: Sequence[tuple[str, object, int, int]],
        signals: Iterable[Time],
        keys: Iterable[object] = (),
    ) -> Maker:
        """Add a graph of (device, name, start's index, end's index) and its list of times."""
        all_keys = chain(keys, repeat(None))
        graph_entries = [
            GraphEntry(device=device, name=name, st_id=start, en_id=end, **self._marks(False, key))
            for (device, name, start, end), key in zip(entries, all_keys, strict=False)
        ]
        return self.add(
            GraphEvent(
                ents=graph_entries,
                deps=[[] for _ in graph_entries],
                sigs=[micros(at) for at in signals],
            )
        )

    def device(
        self,
        name: str,
        offset: Time = 0,
        copy_offset: Time | None = None,
        properties: object = None,
    ) -> Maker:
        fields = {"device": name, "props": properties}
        if self.old:
            copies = None if copy_offset is None else micros(copy_offset)
            return self.add(DeviceEvent(**fields, comp_tdiff=micros(offset), copy_tdiff=copies))
        return self.add(DeviceEvent(**fields, tdiff=micros(offset)))

    def program(
        self, device: str, name: str, library: bytes | None = None, tag: int = 0, key: object = None
    ) -> Maker:
        more: dict[str, object] = {} if self.old else {"tag": tag}
        more |= {"profile_key": key} if self.generation == "0.14" else {}
        return self.add(ProgramEvent(device=device, name=name, lib=library, base=None, **more))

    def counters(
        self,
        device: str,
        kernel: str,
        samples: Iterable[tuple[object, ...]],
        words: Iterable[int],
        tag: int = 1,
    ) -> Maker:
        """Add a reading of hardware counters; `samples` are (name, xcc, inst, se, sa, wgp)."""
        axes = ("name", "xcc", "inst", "se", "sa", "wgp")
        schedule = [
            PmcSample(**dict(zip(axes, sample, strict=True)), block="SQ", off=0, size=8)
            for sample in samples
        ]
        blob = b"".join(word.to_bytes(8, "little") for word in words)
        return self.add(
            PmcEvent(device=device, kern=kernel, sched=schedule, blob=blob, exec_tag=tag)
        )

    def thread_trace(
        self,
        device: str,
        kernel: object,
        size: int,
        *,
        engine: int = 0,
        instructions: bool = True,
        tag: int | None = None,
        blob: bytes | None = None,
    ) -> Maker:
        """Add a thread trace of a kernel.

        `kernel` is its function name, from 0.13 on the tag of its program; `tag` is the number of
        the run. Without a `blob` the trace is `size` bytes without meaning.
        """
        more = {} if tag is None else {"exec_tag": tag}
        blob = b"\x11" * size if blob is None else blob
        return self.add(
            SqttEvent(device=device, kern=kernel, se=engine, blob=blob, itrace=instructions, **more)
        )

    def profile(self, protocol: int = 4) -> bytes:
        return dumps(self.events, protocol=protocol)

    # rewrites.pkl

    def number(self, operation: str) -> Called:
        """Return the pickled operation of this generation."""
        return Ops(operation_number(operation, "0.12" if self.old else self.generation))

    def uop(
        self,
        operation: str,
        sources: Iterable[Called] = (),
        argument: object = None,
        dtype: object = None,
    ) -> Called:
        return UOp(
            self.number(operation), dtype or self.dtype("int"), tuple(sources), argument, None, None
        )

    def node(
        self,
        operation: str,
        sources: Iterable[int] = (),
        argument: object = None,
        dtype: object = None,
    ) -> int:
        """Add a numbered node to the table of nodes and return its number."""
        number = len(self.nodes)
        self.nodes[number] = (
            self.number(operation),
            dtype or self.dtype("int"),
            tuple(sources),
            argument,
            None,
        )
        return number

    def rewrite(self, name: str, matches: int = 0, depth: int = 0, sink: int = 0) -> Fields:
        pairs = [(0, 1, ("/home/someone/tinygrad/ops.py", 7), 1.5e-6) for _ in range(matches)]
        place = ("/home/someone/tinygrad/codegen.py", 42)
        more = {} if self.old else {"walk": False, "enter_calls": False}
        return TrackedRewrite(
            loc=place, sink=sink, matches=pairs, name=name, depth=depth, bottom_up=False, **more
        )

    def context(
        self,
        name: str,
        keys: Sequence[object] = (),
        steps: Iterable[Fields] = (),
        result: object = None,
        stack: object = None,
    ) -> Maker:
        self.keys.append(self.tracing_key(name, keys, result, stack))
        self.steps.append(list(steps))
        return self

    def kernel(
        self,
        name: str,
        function: str,
        estimates: Mapping[str, object] | None = None,
        uops: Iterable[Called] = (),
        *,
        source: str = "void f() {}",
        key: object = None,
        size: tuple[object, ...] = (2, 1, 1),
        options: Sequence[object] = (),
    ) -> Maker:
        """Add the context of a kernel: its program as 0.12 pickles it, or as a node from 0.13 on.

        `options` are the optimisations of a program from 0.13 on; in 0.12 they are in the last of
        `uops`.
        """
        self.node("SINK", (), KernelInfo(name="base", axis_types=(), estimates=None))
        self.node("CONST", (), 7)
        step = self.rewrite("early", matches=2)
        if self.old:
            spec = {
                "name": name,
                "src": source,
                "device": "CPU",
                "ast": None,
                "uops": list(uops),
                "lib": b"\xc3" * 9,
            }
            grid = {
                "global_size": list(size),
                "local_size": [1, 1, 1],
                "vars": [],
                "function_name": function,
            }
            return self.context(name, (function,), [step], ProgramSpec(**spec, **grid))
        info = KernelInfo(
            name=name, axis_types=(), estimates=estimates and Estimates(**estimates), beam=0
        )
        info.applied_opts = tuple(options)  # type: ignore[attr-defined]
        target = Target(device="CPU", renderer="", arch="x86_64,native", interface="", indices="")
        program = ProgramInfo(
            name=name, global_size=size, local_size=(1, 1, 1), vars=(), target=target
        )
        parts = [self.node("SINK", (), info), self.node("LINEAR"), self.node("SOURCE", (), source)]
        parts.append(self.node("BINARY", (), b"\xc3" * 9))
        last = self.rewrite("View Program", sink=self.node("PROGRAM", parts, program))
        keys = (function, key) if key is not None else (function,)
        return self.context(name, keys, [step, last])

    def rewrites(self, protocol: int = 4) -> bytes:
        return dumps(
            RewriteTrace(keys=self.keys, rewrites=self.steps, uop_fields=self.nodes),
            protocol=protocol,
        )

    def pointer(self, elements: int, space: int = 1) -> Called:
        """Return the type of a pointer up to 0.13.

        `space` is 1 for global memory and 3 for registers.
        """
        base = self.dtype("float")
        return PtrDType(*base.args, base, AddrSpace(space), 1, elements)
