"""Class, operator, Python function and launch arguments of executions, and sums of operators."""

import pytest

from data_loaders.kineto.categories import canonical_category, device_class
from schema.torch_profiler import is_call
from tests.support.kineto_trace import call, kernel, load_trace, operator, span


@pytest.mark.parametrize(
    ("name", "category", "expected"),
    [
        ("gemm", "kernel", "compute"),
        ("ncclDevKernel_AllReduce_Sum_f32", "kernel", "communication"),
        ("void vllm::cross_device_reduce_1stage<float>", "kernel", "communication"),
        ("hcom_allReduce_", "kernel", "communication"),
        ("deep_ep::intranode::dispatch", "kernel", "communication"),
        ("my_deep_epilogue", "kernel", "compute"),
        ("Memset (Device)", "kernel", "copy"),
        ("anything", "gpu_memset", "copy"),
        ("__amd_rocclr_copyBuffer", "kernel", "copy"),
    ],
)
def test_a_class_is_that_of_category_and_name(name, category, expected):
    assert device_class(name, category) == expected


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("Kernel", "kernel"),
        ("Memcpy", "gpu_memcpy"),
        ("Operator", "cpu_op"),
        ("Runtime", "cuda_runtime"),
        ("mtia_ccp_events", "kernel"),
        ("hpu_op", "kernel"),
        ("Trace", "Trace"),
        ("own", "own"),
    ],
)
def test_old_and_foreign_categories_have_todays_name(category, expected):
    assert canonical_category(category) == expected


@pytest.mark.parametrize("category", ["cuda_driver", "privateuse1_runtime", "xpu_runtime"])
def test_calls_are_of_any_device(category):
    assert is_call(category) and not is_call("kernel")


def launched(folder):
    """Return a run of an outer and an inner operator, below a Python function, and two kernels."""
    details = {"grid": [4, 8, 1], "block": [128, 1, 1], "registers per thread": 96}
    entries = [
        span("python_function", "model.py(3): forward", 0, 50),
        operator("aten::linear", 1, 40, **{"Input Dims": [[16, 64], []]}),
        operator("aten::addmm", 5, 30, **{"Input Dims": [[64]], "External id": 4}),
        call(10, 1, dur=8),
        kernel(
            "gemm", 20, 50, 1, **details, **{"est. achieved occupancy %": 37, "shared memory": 64}
        ),
        kernel("fused", 80, 7, 0, **{"External id": 4}),
        kernel("orphan", 90, 3),
    ]
    return load_trace(folder, entries)


def test_an_execution_has_its_operator_its_function_and_its_arguments(tmp_path):
    kernels = launched(tmp_path).frames["kernels"].set_index("name")
    assert kernels["op"].astype("object").where(kernels["op"].notna(), None).to_dict() == {
        "gemm": "aten::addmm",
        "fused": "aten::addmm",
        "orphan": None,
    }
    gemm = kernels.loc["gemm"]
    assert gemm["python"] == "model.py(3): forward"
    assert (gemm["grid"], gemm["block"], gemm["registers"]) == ("4,8,1", "128,1,1", 96)
    assert (gemm["shared_memory"], gemm["occupancy"]) == (64, 37.0)
    assert kernels.loc["orphan", ["python", "grid", "registers", "occupancy"]].isna().all()


def test_operators_sum_host_and_device_time(tmp_path):
    frames = launched(tmp_path).frames
    rows = frames["operators"].set_index("name")
    own = ["calls", "total_cpu", "self_cpu", "runtime_cpu"]
    assert rows.loc["aten::linear", own].tolist() == [1, 40_000, 10_000, 0]
    assert rows.loc["aten::addmm", own].tolist() == [1, 30_000, 30_000, 8_000]
    device = ["self_device", "device_spans", "total_device"]
    assert rows.loc["aten::linear", device].tolist() == [0, 0, 57_000]
    assert rows.loc["aten::addmm", device].tolist() == [57_000, 2, 57_000]
    shapes = frames["operator_shapes"].set_index("name")["dims"].to_dict()
    assert shapes == {"aten::linear": "[[16,64],[]]", "aten::addmm": "[[64]]"}


def test_an_operator_within_one_of_its_name_counts_its_time_once(tmp_path):
    entries = [operator("aten::to", 0, 10), operator("aten::to", 2, 5)]
    (row,) = load_trace(tmp_path, entries).frames["operators"].to_dict("records")
    assert (row["calls"], row["total_cpu"], row["self_cpu"]) == (2, 10_000, 10_000)


def test_a_span_with_device_and_stream_of_an_unknown_category_executes(tmp_path):
    kernels = load_trace(tmp_path, [kernel("k", 0, 5, cat="npu_thing")]).frames["kernels"]
    assert kernels[["name", "class", "duration"]].to_numpy().tolist() == [["k", "compute", 5_000]]


def test_tasks_of_an_npu_execute_and_its_waits_do_not(tmp_path):
    def task(name, ts, kind):
        entry = span("", name, str(ts), 5, (8, 3), **{"Task Type": kind})
        del entry["cat"]
        return entry

    entries = [
        {
            "ph": "M",
            "name": "process_name",
            "pid": 8,
            "tid": 0,
            "args": {"name": "Ascend Hardware"},
        },
        task("MatMul", 1, "AI_CORE"),
        task("EVENT_WAIT", 10, "EVENT_WAIT"),
        task("MEMCPY_ASYNC", 20, "Other"),
    ]
    kernels = load_trace(tmp_path, entries).frames["kernels"]
    assert kernels[["name", "class"]].to_numpy().tolist() == [
        ["MatMul", "compute"],
        ["MEMCPY_ASYNC", "copy"],
    ]
