"""What kernels compute and move: symbolic sizes, walked lists of operations, and programs of every generation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.tinygrad.estimates import Estimate, pickled_estimate, walked_estimate
from data_loaders.tinygrad.expressions import evaluate
from data_loaders.tinygrad.records import Instant, read_pickle
from data_loaders.tinygrad.run import read_run
from data_loaders.tinygrad.versions import RELEASES, UNKNOWN, Version, detect_version
from samples.tinygrad_capture import gemm_uops, training
from samples.tinygrad_objects import AddrSpace, Estimates, ParamArg, dumps
from samples.tinygrad_writer import GENERATIONS, Maker

OLD, NEW = Maker("0.12"), Maker("0.14")


def records(made):
    return read_pickle(dumps(made)).root


def release(name):
    return Version(name, RELEASES[name])


def value(made, values=None, name="0.12"):
    return evaluate(records(made), values or {}, release(name))


def variable(name="n"):
    return OLD.uop("DEFINE_VAR", (), (name, 1, 10))


def number(n):
    return OLD.uop("CONST", (), n)


class TestExpressions:
    def test_numbers_are_themselves(self):
        assert evaluate(3, {}, UNKNOWN) == 3
        assert value(number(3)) == 3
        assert value(number(True)) == 1
        assert value(number(0.5)) is None

    def test_variables_have_the_values_of_the_launch(self):
        bound = OLD.uop("BIND", (variable(), number(4)))
        total = OLD.uop("ADD", (OLD.uop("MUL", (bound, number(16))), number(2)))
        assert value(total, {"n": 3}) == 50
        assert value(total) is None

    def test_parameters_are_variables_since_0_13(self):
        said = {"slot": 0, "dtype": None, "name": "n", "addrspace": AddrSpace(4)}
        assert value(NEW.uop("PARAM", (), ParamArg(**said)), {"n": 7}, "0.14") == 7
        assert (
            value(NEW.uop("PARAM", (), ParamArg(**said | {"name": None})), {"n": 7}, "0.14") is None
        )

    @pytest.mark.slow
    @given(st.integers(-50, 50), st.integers(-50, 50))
    def test_operations_are_those_of_c(self, a, b):
        for name, expected in (
            ("ADD", a + b),
            ("SUB", a - b),
            ("MUL", a * b),
            ("MAX", max(a, b)),
            ("IDIV", int(a / b) if b else None),
            ("MOD", a - b * int(a / b) if b else None),
            ("AND", a & b),
            ("OR", a | b),
            ("XOR", a ^ b),
            ("CMPLT", int(a < b)),
            ("CMPNE", int(a != b)),
            ("CMPEQ", int(a == b)),
            ("SHL", a << b if b >= 0 else None),
            ("SHR", a >> b if b >= 0 else None),
            ("POW", None),
        ):
            assert value(OLD.uop(name, (number(a), number(b)))) == expected
        for name, expected in (
            ("FLOORDIV", a // b if b else None),
            ("FLOORMOD", a % b if b else None),
        ):
            assert (
                value(
                    NEW.uop(name, (NEW.uop("CONST", (), a), NEW.uop("CONST", (), b))), None, "0.14"
                )
                == expected
            )

    def test_choices_casts_and_signs(self):
        assert value(OLD.uop("WHERE", (number(0), number(1), number(2)))) == 2
        assert value(OLD.uop("CAST", (OLD.uop("NEG", (number(5),)),))) == -5

    def test_a_product_that_doubles_at_every_step_ends(self):
        node = number(3)
        for _ in range(60):
            node = OLD.uop("MUL", (node, node))
        assert value(node) is None

    def test_a_shift_by_far_too_much_ends(self):
        assert value(OLD.uop("SHL", (number(1), number(10**12)))) is None

    @pytest.mark.slow
    def test_depth_costs_no_recursion(self):
        nodes = [number(0)]
        for _ in range(5000):
            nodes.append(OLD.uop("ADD", (nodes[-1], number(1))))
        assert evaluate(records(nodes)[-1], {}, release("0.12")) == 5000

    def test_what_is_no_expression_has_no_value(self):
        for odd in (
            "text",
            None,
            [],
            OLD.uop("RANGE", (number(3),), 0),
            OLD.uop("ADD", (number(1),)),
        ):
            assert value(odd) is None
        assert evaluate(Instant("3"), {}, UNKNOWN) is None


class TestWalk:
    @pytest.mark.parametrize("generation", ["2025", "0.12"])
    @pytest.mark.parametrize("n", [8, 256, 1024])
    def test_a_gemm_is_exactly_2_n_cubed(self, generation, n):
        maker = Maker(generation)
        found = walked_estimate(records(gemm_uops(maker, n)), {}, release("0.12"))
        assert found == Estimate(2 * n**3, 3 * n * n * 4, 8 * n**3 + 4 * n * n)

    def test_a_multiply_accumulate_counts_twice_and_a_vector_by_its_lanes(self):
        wide = OLD.uop(
            "MULACC",
            (number(1),) * 3,
            None,
            type(OLD.dtype())(13, 128, "float4", None, 4, OLD.dtype()),
        )
        assert walked_estimate(records([wide]), {}, release("0.12")).operations == 8

    def test_matrix_instructions_count_by_their_sides(self):
        said = ("WMMA", (16, 16, 16), None, None, "AMD", 32)
        node = OLD.uop("WMMA", (), said)
        assert walked_estimate(records([node]), {}, release("0.12")).operations == 2 * 16**3 // 32
        for odd in (None, ("WMMA",), ("WMMA", (16,), 0, 0, "AMD", 0), ("W", "xyz", 0, 0, 0, 4)):
            operations = records([OLD.uop("WMMA", (), odd)])
            assert walked_estimate(operations, {}, release("0.12")).operations == 0

    def test_conditions_are_not_counted(self):
        condition = OLD.uop("CMPLT", (number(1), number(2)))
        nodes = [condition, OLD.uop("IF", (condition,)), OLD.uop("ADD", (number(1), number(2)))]
        assert walked_estimate(records(nodes), {}, release("0.12")).operations == 1

    def test_a_loop_of_a_variables_length_needs_its_value(self):
        loop = OLD.uop("RANGE", (variable(),), 0)
        nodes = records([loop, OLD.uop("ADD", (number(1), number(2))), OLD.uop("END", (loop,))])
        assert walked_estimate(nodes, {}, release("0.12")) is None
        assert walked_estimate(nodes, {"n": 5}, release("0.12")).operations == 5

    def test_broken_lists_have_no_estimate(self):
        loop = OLD.uop("RANGE", (number(2**100),), 0)
        for nodes in ([], ["text"], [OLD.uop("END")], [OLD.uop("RANGE")], [loop, loop, loop]):
            assert walked_estimate(records(nodes), {}, release("0.12")) is None
        assert walked_estimate(records([number(1)]), {}, UNKNOWN) is None

    def test_odd_loads_move_nothing(self):
        odd = [
            OLD.uop("LOAD"),
            OLD.uop("STORE", (number(1),)),
            OLD.uop("LOAD", ("text",)),
            OLD.uop("STORE", (3, 4)),
        ]
        odd.append(OLD.uop("LOAD", (OLD.uop("DEFINE_GLOBAL", (), 0, "text"),), None, "text"))
        assert walked_estimate(records(odd), {}, release("0.12")).moved_bytes == 4


def test_pickled_estimates_may_be_symbolic():
    size = NEW.uop("MUL", (NEW.uop("PARAM", (), ParamArg(name="n")), NEW.uop("CONST", (), 4)))
    said = records(Estimates(ops=size, lds=8, mem=size))
    assert pickled_estimate(said, {"n": 3}, release("0.14")) == Estimate(12, 12, 8)
    assert pickled_estimate(said, {}, release("0.14")) is None
    assert pickled_estimate("text", {}, release("0.14")) is None


class TestVersions:
    @pytest.mark.parametrize(
        ("generation", "name"),
        [("2025", "0.12"), ("0.12", "0.12"), ("0.13", "0.13"), ("0.14", "0.14")],
    )
    def test_a_release_is_told_from_its_numbers(self, generation, name):
        nodes = read_pickle(training(generation).rewrites()).root.fields["uop_fields"]
        assert detect_version(nodes.values()).name == name

    def test_nothing_tells_nothing(self):
        assert detect_version([]) is UNKNOWN
        assert detect_version([None, (), ("a", 1, (), 3)]) is UNKNOWN

    def test_operations_without_a_name_are_numbers(self):
        known = Version("x", ("A", "B"))
        assert known.operation(records(type(OLD.number("ADD"))(2))) == "B"
        assert known.operation(records(type(OLD.number("ADD"))(61))) == "op#61"
        assert known.operation(records(type(OLD.number("ADD"))("a"))) == ""
        assert known.operation("ADD") == ""


class TestPrograms:
    @pytest.mark.parametrize("generation", GENERATIONS)
    def test_programs_of_every_generation(self, generation):
        maker = training(generation, size=8)
        programs = read_run(maker.profile(), maker.rewrites(), False).frames["programs"]
        first = programs.iloc[0]
        assert first["name"] == first["function"] == "r_8_8"
        assert first["source"] == "void r_8_8(float* a) {}"
        assert (first["global_size"], first["local_size"], first["library_bytes"]) == (
            "2x1x1",
            "1x1x1",
            9,
        )
        assert first["operations"] == 2 * 8**3
        assert first["device"] == "CPU"

    def test_programs_that_only_the_profile_names(self):
        maker = (
            Maker("0.12")
            .program("CPU", "r_4", b"\xc3" * 70)
            .program("CPU", "E_2")
            .range("CPU", "r_4", 0, 1)
        )
        frame = read_run(maker.profile(), None, False).frames["programs"]
        assert frame[["function", "estimate"]].to_numpy().tolist() == [
            ["r_4", "missing"],
            ["E_2", "missing"],
        ]
        assert frame["library_bytes"].fillna(-1).tolist() == [70, -1]
        assert frame["context"].isna().all()

    def test_contexts_that_are_broken_keep_their_place(self):
        maker = training("0.14")
        maker.keys.insert(0, "text")
        maker.steps.insert(0, ["text", None])
        reading = read_run(maker.profile(), maker.rewrites(), False)
        assert reading.frames["contexts"]["name"].tolist()[:2] == ["", "r_8_8"]
        assert reading.frames["programs"]["context"].tolist() == [1, 2]

    def test_nodes_that_lead_nowhere_are_no_programs(self):
        maker = Maker("0.14").range("CPU", "k", 0, 1)
        for sink in (
            99,
            "text",
            maker.node("PROGRAM", (), None),
            maker.node("PROGRAM", (5, "x"), 3),
        ):
            maker.context("c", (), [maker.rewrite("View Program", sink=sink)])
        assert len(read_run(maker.profile(), maker.rewrites(), False).frames["programs"]) == 0


def test_contexts_and_steps_are_kept():
    maker = training("0.14")
    frames = read_run(maker.profile(), maker.rewrites(), False).frames
    contexts = frames["contexts"].set_index("name")
    assert contexts.loc["Schedule 2 Kernels n1", ["steps", "matches", "duration"]].tolist() == [
        2,
        4,
        6000,
    ]
    last = frames["rewrite_steps"].iloc[-1]
    assert (last["name"], last["depth"], last["matches"], last["duration"]) == ("in", 1, 3, 4500)
    assert (last["file"], last["line"]) == ("/home/someone/tinygrad/codegen.py", 42)
