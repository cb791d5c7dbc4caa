"""The order in which a core's program takes and gives locks, as a short list of steps.

Steps: `set` (name, number), `add` (name, two operands), `compare` (name, predicate, two operands),
`label` (name, parameters), `jump` (label, arguments), `branch` (condition, label, number of its
arguments, arguments, label, arguments), `acquire`, `release`, `end`, and `unknown` for control
flow that this reader cannot follow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import chain, takewhile

from data_loaders.aie_design.channels import jump_targets, lock_use
from data_loaders.aie_design.design import Step
from data_loaders.aie_design.operands import (
    canonical,
    split_operands,
    value_name,
    value_names,
)
from data_loaders.aie_design.scopes import Definitions, Scope
from data_loaders.aie_design.statements import Statement

MAX_DEPTH = 64
"""Deepest nesting of regions that have a scope of their own; deeper loops are not followed."""
UNKNOWN = "?"
"""Operand in the place of a value that this reader cannot name."""
ZERO = "zero"
"""Operand that is 0 in every program."""
_FIFO = re.compile(r"@([\w$.-]{1,200}+)\s{0,99}\(\s{0,99}(Produce|Consume)")
_BOUNDS = re.compile(
    r"%([\w$.-]{1,200}+)\s{0,99}=\s{0,99}(%?[\w$.-]{1,200}+)\s{0,99}to\s{0,99}(%?[\w$.-]{1,200}+)"
    r"(?:\s{0,99}step\s{0,99}(%?[\w$.-]{1,200}+))?"
)
_COMPARE = re.compile(
    r"cmpi\s{0,99}\"?(\w{1,9})\"?\s{0,9},\s{0,9}(%[\w$.-]{1,200}+)\s{0,9},\s{0,9}(%[\w$.-]{1,200}+)"
)
_REQUESTS = frozenset(("aie.uselock", "aie.objectfifo.acquire", "aie.objectfifo.release"))
_JUMPS = frozenset(("cf.br", "br", "cf.condbr", "condbr"))


def is_request(statement: Statement) -> bool:
    """Whether a statement takes or gives a lock or an objectfifo."""
    return canonical(statement.op) in _REQUESTS


def read_program(
    region: Sequence[Statement], scope: Scope, definitions: Definitions, user: str
) -> list[Step]:
    """Read the steps of a core; empty if its program takes and gives no lock.

    Adds the core to the users of its locks, and the buffers that its region names.
    """
    lowering = _Lowering(definitions, user, _find_requesting(region))
    lowering.read(region, scope, 0)
    has_requests = any(step.op in ("acquire", "release") for step in lowering.steps)
    return [*lowering.steps, Step("end")] if has_requests else []


def _find_requesting(region: Sequence[Statement]) -> Set[int]:
    """Return the ids of the statements with a request somewhere in their regions."""
    requesting: set[int] = set()
    path: list[int] = []
    stack = [iter(region)]
    while stack:
        statement = next(stack[-1], None)
        if statement is None:
            stack.pop()
            del path[max(len(stack) - 1, 0) :]
            continue
        if is_request(statement):
            # Statements around a marked statement are marked already.
            requesting.update(takewhile(lambda one: one not in requesting, reversed(path)))
        if statement.regions:
            path.append(id(statement))
            stack.append(chain.from_iterable(statement.regions))
    return requesting


class _Lowering:
    """Turns the statements of a core into steps."""

    def __init__(self, definitions: Definitions, user: str, requesting: Set[int]) -> None:
        self.steps: list[Step] = []
        self._definitions = definitions
        self._requesting = requesting
        self._user = user
        self._loops = 0

    def read(self, region: Sequence[Statement], outer: Scope, depth: int) -> None:
        """Add the steps of a region, in a scope of its own."""
        scope = Scope(outer)
        # A block argument hides a value of the same name outside of the region.
        for statement in region:
            if statement.op.startswith("^"):
                for name in value_names(statement.text):
                    scope.define(name, None)
        self._definitions.define_all(region, scope)
        for statement in region:
            self._read_statement(statement, scope, depth)

    def _read_statement(self, statement: Statement, scope: Scope, depth: int) -> None:
        op = canonical(statement.op)
        if op.startswith("^"):
            parameters = value_names(statement.text.partition("(")[2])
            self.steps.append(Step("label", (statement.op, *parameters)))
            return
        if is_request(statement):
            self._add_request(statement, scope)
        elif op in _JUMPS:
            self._add_jump(statement, op)
        elif statement.regions:
            self._read_regions(statement, scope, depth, op)
        else:
            self._add_arithmetic(statement, scope, op)
        self._add_buffers(statement, scope)

    def _add_request(self, statement: Statement, scope: Scope) -> None:
        """Add the step of a statement that takes or gives a lock; nothing for any other statement."""
        op = canonical(statement.op)
        if op == "aie.uselock":
            self._add_use(statement, scope)
        elif op in _REQUESTS:
            self._add_fifo(statement, "acquire" if op.endswith("acquire") else "release")

    def _add_use(self, statement: Statement, scope: Scope) -> None:
        use = lock_use(statement, scope)
        if use is None:
            self._definitions.device.skipped += 1
            self.steps.append(Step("unknown"))
            return
        use.lock.uses[self._user, use.action, use.value] += 1
        self.steps.append(Step("release" if use.action == "Release" else "acquire", (), use.lock))

    def _add_fifo(self, statement: Statement, op: str) -> None:
        match = _FIFO.search(statement.text)
        self.steps.append(Step(op, (match[2],), match[1]) if match else Step("unknown"))

    def _add_jump(self, statement: Statement, op: str) -> None:
        targets = jump_targets(statement)
        if op in ("cf.br", "br") and targets:
            arguments = _arguments(statement.text, targets[0], 0)
            self.steps.append(Step("jump", (targets[0], *arguments)))
        elif len(targets) == 2:
            condition = value_name(statement.text.partition("^")[0]) or UNKNOWN
            first = _arguments(statement.text, targets[0], 0)
            second_start = statement.text.find(targets[0]) + len(targets[0])
            second = _arguments(statement.text, targets[1], second_start)
            self.steps.append(
                Step(
                    "branch", (condition, targets[0], str(len(first)), *first, targets[1], *second)
                )
            )
        else:
            self.steps.append(Step("unknown"))

    def _add_arithmetic(self, statement: Statement, scope: Scope, op: str) -> None:
        if not statement.results:
            return
        result = statement.results[0]
        meaning = scope.find(result)
        if isinstance(meaning, int):
            self.steps.append(Step("set", (result, str(meaning))))
        elif op == "arith.addi" and len(names := value_names(statement.text)) >= 3:
            self.steps.append(Step("add", (result, names[1], names[2])))
        elif op == "arith.cmpi" and (match := _COMPARE.search(statement.text)):
            self.steps.append(Step("compare", (result, match[1], match[2][1:], match[3][1:])))

    def _read_regions(self, statement: Statement, scope: Scope, depth: int, op: str) -> None:
        requests = id(statement) in self._requesting
        if not requests or depth > MAX_DEPTH:
            # Without a request the region cannot change the order, whatever it branches on.
            self.steps += [Step("unknown")] if requests else []
            for region in statement.regions:
                self._add_nested(region, scope)
            return
        if op in ("scf.for", "affine.for") and (bounds := _BOUNDS.search(statement.text)):
            self._add_loop(statement, scope, depth, bounds)
            return
        is_plain = op == "scf.executeregion"
        self.steps += [] if is_plain else [Step("unknown")]
        for region in statement.regions:
            self.read(region, scope, depth + 1)

    def _add_loop(
        self, statement: Statement, scope: Scope, depth: int, bounds: re.Match[str]
    ) -> None:
        """Add a loop as a label, a comparison, and a jump back with the next index."""
        variable, *limits = bounds.groups(default="1")
        self._loops += 1
        names = [f"loop{self._loops}.{part}" for part in ("first", "last", "step", "next", "more")]
        first, last, step, following, more = names
        for name, text in zip((first, last, step), limits, strict=True):
            value = scope.number(text)
            known = Step("set", (name, str(value)))
            same = Step("add", (name, value_name(text) or UNKNOWN, ZERO))
            self.steps.append(known if value is not None else same)
        labels = [f"^loop{self._loops}.{part}" for part in ("head", "body", "end")]
        head, body, end = labels
        self.steps += [
            Step("jump", (head, first)),
            Step("label", (head, variable)),
            Step("compare", (more, "slt", variable, last)),
            Step("branch", (more, body, "0", end)),
            Step("label", (body,)),
        ]
        inner = Scope(scope)
        inner.define(variable, None)
        self.read(statement.regions[0], inner, depth + 1)
        self.steps += [
            Step("add", (following, variable, step)),
            Step("jump", (head, following)),
            Step("label", (end,)),
        ]

    def _add_buffers(self, statement: Statement, scope: Scope) -> None:
        for name in value_names(statement.plain):
            # A look-up walks up the scopes, so that names that are never a buffer are left out.
            if name in self._definitions.buffer_names:
                buffer = scope.buffer(f"%{name}")
                if buffer is not None:
                    buffer.add_user(self._user)

    def _add_nested(self, region: Sequence[Statement], outer: Scope) -> None:
        """Add the buffers and locks that a region names, however deep, in the order of the text."""
        stack = [(iter(region), self._inner(region, outer, 0))]
        while stack:
            statements, scope = stack[-1]
            statement = next(statements, None)
            if statement is None:
                stack.pop()
                continue
            self._add_buffers(statement, scope)
            self._add_request(statement, scope)
            for part in statement.regions:
                stack.append((iter(part), self._inner(part, scope, len(stack))))

    def _inner(self, region: Sequence[Statement], outer: Scope, depth: int) -> Scope:
        # A lookup walks up the scopes, so that thousands of them would take quadratic time.
        scope = outer if depth > MAX_DEPTH else Scope(outer)
        self._definitions.define_all(region, scope)
        return scope


def _arguments(text: str, label: str, start: int) -> list[str]:
    """Return the names of the arguments of a jump to a label, `^bb1(%0 : index)`."""
    begin = text.find(label, start) + len(label)
    if text[begin : begin + 1] != "(":
        return []
    return [value_name(part) or UNKNOWN for part in split_operands(text, begin + 1)]
