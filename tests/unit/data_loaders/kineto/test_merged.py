"""Files that hold the traces of several ranks: devices, launches and operators of each."""

from tests.support.kineto_trace import call, kernel, load_trace, operator


def of_process(entries, label):
    """Return entries whose process is of a rank, as sglang's merger writes them."""
    return [{**entry, "pid": f"[{label}] {entry['pid']}"} for entry in entries]


def rank(name, shift, external=5):
    """Return an operator that launches a kernel, and a kernel without a call."""
    numbers = {"External id": external}
    return [
        operator(f"op of {name}", shift, 5, **numbers),
        call(shift + 1, 7),
        kernel(name, shift + 2, 10, 7),
        kernel(f"{name} late", shift + 20, 10, **numbers),
    ]


def test_streams_of_one_number_stay_apart(tmp_path):
    entries = of_process(rank("a", 0), "TP00") + of_process(rank("b", 2), "TP01")
    frames = load_trace(tmp_path, entries).frames
    kernels = frames["kernels"]
    assert kernels.groupby("track", observed=True)["name"].agg(list).tolist() == [
        ["a", "a late"],
        ["b", "b late"],
    ]
    devices = frames["tracks"][frames["tracks"]["kind"] == "device"]
    assert devices["pid"].tolist() == ["[TP00] 0", "[TP01] 0"]


def test_launches_and_operators_are_those_of_the_rank(tmp_path):
    entries = of_process(rank("a", 0), "TP00") + of_process(rank("b", 2), "TP01")
    frames = load_trace(tmp_path, entries).frames
    kernels = frames["kernels"].set_index("name")
    assert kernels["op"].to_dict() == {
        "a": "op of a",
        "a late": "op of a",
        "b": "op of b",
        "b late": "op of b",
    }
    starts = frames["launches"]["start"]
    assert starts[kernels.loc[["a", "b"], "launch"]].tolist() == [1000, 3000]


def test_processes_without_labels_split_devices_too(tmp_path):
    entries = [kernel("a", 0, 10), {**kernel("b", 5, 10), "pid": 100}]
    tracks = load_trace(tmp_path, entries).frames["tracks"]
    assert tracks["pid"].tolist() == ["0", "100"]


def test_one_process_keeps_the_numbers_of_its_devices(tmp_path):
    entries = [kernel("a", 0, 10), kernel("b", 5, 10, device=1)]
    tracks = load_trace(tmp_path, entries).frames["tracks"]
    assert tracks["pid"].tolist() == ["0", "1"]
