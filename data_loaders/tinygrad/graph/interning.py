"""Intern the nodes of a capture's graphs: a capture often has several numbers for the same node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.graph.texts import Texts
from data_loaders.tinygrad.graph.values import Values, kernel_body
from data_loaders.tinygrad.records import Kernel, KernelInfo, UOp
from data_loaders.tinygrad.versions import Version

NO_NODE = -1
_ABSENT: tuple[object, ...] = ()
_BEGUN = -2

Body = tuple[str, int, tuple[int, ...], int]
"""A key without its argument: the computation of a kernel, regardless of its name and
optimisations.
"""
Key = tuple[str, int, tuple[int, ...], int, int]
"""Operation, number of the type, source nodes, numbers of argument and tag."""


class Interner:
    """Table of nodes; nodes with equal operation, type, sources, argument and tag are the same.

    Columns have an item per node: operation, type and argument as text, numbers of argument and
    tag, sources, and in `bodies` the node that the argument of a KERNEL node (up to 0.12) refers
    to. `kernels` maps a body to the nodes with a KernelInfo (name and optimisations). `broken`
    counts numbers without a graph.
    """

    def __init__(self, nodes: Mapping[object, object], version: Version) -> None:
        self._nodes = nodes
        self._version = version
        self._texts = Texts(version)
        self._values = Values(self._record_node, self.node)
        self._known: dict[Key, int] = {}
        self._by_number: dict[int, int] = {}
        self._dtypes: dict[int, str] = {}
        self._written: dict[tuple[int, type], str] = {}
        self.operations: list[str] = []
        self.dtypes: list[str] = []
        self.arguments: list[int] = []
        self.argument_texts: list[str] = []
        self.tags: list[int] = []
        self.tag_texts: list[str] = []
        self.sources: list[tuple[int, ...]] = []
        self.bodies: list[int] = []
        self.kernels: dict[Body, list[int]] = {}
        self.broken = 0
        self._closed = False

    def __len__(self) -> int:
        return len(self.sources)

    def node(self, number: object) -> int:
        """Intern the node of a capture's number and return its rank in the table, from 0.

        Returns NO_NODE (-1) if the number is not an int, or the node, or a node below it, is
        missing or its own source.
        """
        if type(number) is not int:
            return NO_NODE
        node = self._by_number.get(number)
        if node is None or node == _BEGUN:
            node = self._follow(number)
        return node

    def close(self) -> None:
        """End the interning: from now on the table does not grow, and nodes are only looked up."""
        self._closed = True

    def equal_nodes(self, value: object, any_kernel_info: bool) -> list[int]:
        """Return the ranks of the nodes in the table that equal a pickled operation, after `close`.

        Empty if there are none. If `any_kernel_info`, nodes that differ only in name and
        optimisations of the kernel count as equal.
        """
        if not isinstance(value, Record) or type(value) is not UOp or len(value.args) < 4:
            return []
        operation, dtype, sources, argument, tag = (*value.args, None)[:5]
        if not any_kernel_info or type(argument) is not KernelInfo:
            node = self._values.node(value)
            return [] if node == NO_NODE else [node]
        nodes = (
            tuple(self._values.node(source) for source in sources) if type(sources) is tuple else ()
        )
        key = self._key(operation, dtype, nodes, None, tag)
        return self.kernels.get((*key[:3], key[4]), [])

    def _follow(self, number: int) -> int:
        waiting = [number]
        done = self._by_number
        while waiting:
            # An explicit stack, because graphs can be deeper than Python's recursion limit.
            at = waiting[-1]
            if done.get(at, _BEGUN) != _BEGUN:
                waiting.pop()
                continue
            fields = self._fields(at)
            needed = _operands(fields)
            missing = [source for source in needed if done.get(source, _BEGUN) == _BEGUN]
            if missing and at not in done:
                done[at] = _BEGUN
                waiting += missing
                continue
            waiting.pop()
            # A source that is still missing waits for this node, so the node would be below itself.
            node = NO_NODE if missing or not fields else self._fields_node(fields)
            self.broken += node == NO_NODE
            done[at] = node
        return done[number]

    def _fields(self, number: int) -> tuple[object, ...]:
        """Look up the fields of a node by its number: operation, type, sources, argument and maybe
        tag.

        Returns () if the node is missing or malformed.
        """
        fields = self._nodes.get(number)
        if type(fields) is not tuple or len(fields) < 4 or type(fields[2]) is not tuple:
            return _ABSENT
        return fields if {*map(type, fields[2])} <= {int} else _ABSENT

    def _fields_node(self, fields: tuple[object, ...]) -> int:
        sources = tuple([self._by_number[source] for source in fields[2]])  # type: ignore[attr-defined]
        if NO_NODE in sources:
            return NO_NODE
        tag = fields[4] if len(fields) > 4 else None
        operation, dtype, _, argument = fields[:4]
        return self._intern(operation, dtype, sources, argument, tag)

    def _record_node(
        self,
        operation: object,
        dtype: object,
        sources: tuple[int, ...],
        argument: object,
        tag: object,
    ) -> int:
        """Intern a pickled operation and return its rank; `sources` are ranks.

        After `close` only look it up, with NO_NODE (-1) if the table does not contain it.
        """
        if not self._closed:
            return self._intern(operation, dtype, sources, argument, tag)
        return self._known.get(self._key(operation, dtype, sources, argument, tag), NO_NODE)

    def _key(
        self,
        operation: object,
        dtype: object,
        sources: tuple[int, ...],
        argument: object,
        tag: object,
    ) -> Key:
        number = self._values.number
        return (
            self._version.operation(operation),
            number(dtype),
            sources,
            number(argument),
            number(tag),
        )

    def _intern(
        self,
        operation: object,
        dtype: object,
        sources: tuple[int, ...],
        argument: object,
        tag: object,
    ) -> int:
        key = self._key(operation, dtype, sources, argument, tag)
        node = self._known.setdefault(key, len(self.sources))
        if node == len(self.sources):
            self.operations.append(key[0])
            self.dtypes.append(self._dtype(key[1], dtype))
            self.arguments.append(key[3])
            self.argument_texts.append(self._text(key[3], argument))
            self.tags.append(key[4])
            self.tag_texts.append(self._text(key[4], tag))
            self.sources.append(sources)
            if type(argument) is KernelInfo:
                self.kernels.setdefault((*key[:3], key[4]), []).append(node)
            kernel = type(argument) is Kernel and isinstance(argument, Record)
            self.bodies.append(self.node(kernel_body(argument)) if kernel else NO_NODE)  # type: ignore[arg-type]
        return node

    def _dtype(self, number: int, dtype: object) -> str:
        text = self._dtypes.get(number)
        if text is None:
            text = self._dtypes[number] = self._texts.dtype(dtype)
        return text

    def _text(self, number: int, value: object) -> str:
        key = number, type(value)
        text = self._written.get(key)
        if text is None:
            text = self._written[key] = self._texts.text(value)
        return text


def _operands(fields: tuple[object, ...]) -> Sequence[int]:
    """List the capture's numbers of the nodes that a node refers to: its sources and a kernel's
    body; empty without fields.
    """
    if not fields:
        return ()
    sources = fields[2]
    argument = fields[3]
    body = (
        kernel_body(argument) if type(argument) is Kernel and isinstance(argument, Record) else None
    )
    if type(body) is int:
        return (*sources, body)  # type: ignore[misc]
    return sources  # type: ignore[return-value]
