"""Order of the rows of a trace: devices first, Python last."""

from tests.support.kineto_trace import call, kernel, load_trace, operator, span


def test_devices_are_above_the_threads_of_the_host_and_python_is_last(tmp_path):
    entries = [
        span("python_function", "train.py(7): step", 0, 50),
        operator("aten::mm", 1, 10),
        call(2, 1),
        span("overhead", "Activity Buffer Request", 3, 1),
        kernel("gemm", 5, 5, 1),
        kernel("Memcpy HtoD", 6, 1, cat="gpu_memcpy", stream=20),
        kernel("ProfilerStep#1", 5, 5, cat="gpu_user_annotation"),
        kernel("gemm", 5, 5, device=1),
        operator("aten::mm", 1, 10, on=(1, 2)),
    ]
    tracks = load_trace(tmp_path, entries).frames["tracks"]
    assert tracks["order"].tolist() == list(range(len(tracks)))
    assert tracks["track"].astype("str").tolist() == [
        "cuda 0 stream 7",
        "cuda 0 stream 20",
        "cuda 1 stream 7",
        "cuda 0 stream 7 annotations",
        "thread 1",
        "thread 2",
        "overhead of thread 1",
        "python of thread 1",
    ]
    kinds = tracks["kind"].astype("str").tolist()
    assert kinds == ["device", "copy", "device", "annotation", "user", "user", "other", "user"]
