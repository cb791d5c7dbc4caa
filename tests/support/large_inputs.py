"""Small files that need more than 200 MiB when they are read."""

import gzip
import json

_LETTERS = "abcdefgh" * 8
"""A part of every name, so that names take memory and compress well."""


def _kineto(folder, count):
    spans = (
        {
            "ph": "X",
            "cat": "kernel",
            "name": f"k{i}{_LETTERS}",
            "pid": 0,
            "tid": 7,
            "ts": 10 * i,
            "dur": 5,
            "args": {},
        }
        for i in range(count)
    )
    return _json(
        folder / "large.pt.trace.json.gz", '{"schemaVersion": 1, "traceEvents": [\n', spans, "]}"
    )


def _onnxruntime(folder, count):
    spans = (
        {
            "cat": "Node",
            "pid": 1,
            "tid": 2,
            "dur": 5,
            "ts": 10 * i,
            "ph": "X",
            "name": f"n{i}{_LETTERS}_kernel_time",
            "args": {
                "op_name": f"Conv{i}",
                "provider": "CPUExecutionProvider",
                "node_index": str(i),
            },
        }
        for i in range(count)
    )
    return _json(folder / "onnxruntime_profile_large.json.gz", "[\n", spans, "]")


def _json(path, head, entries, tail):
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write(head)
        file.writelines(
            f"{',' if i else ''}{json.dumps(entry)}\n" for i, entry in enumerate(entries)
        )
        file.write(tail)
    return path


def _aie_words(folder, count):
    path = folder / "trace.txt"
    words = ("00220001", "f0000000", "000003f0", "5850dbff", *("dbffdbff",) * 4)
    path.write_text("\n".join(words * count))
    return path


def _aie_design(folder, count):
    path = folder / "aie.mlir"
    buffers = (
        f"%b{i} = aie.buffer(%t) {{address = {i} : i32}} : memref<1xi8>\n" for i in range(count)
    )
    path.write_text(
        "aie.device(npu1) {\n%t = aie.tile(0, 2)\n" + "".join(buffers) + "}\n",
    )
    return path


def _minimalloc(folder, count):
    path = folder / "large.9000.csv"
    path.write_text(
        "id,lower,upper,size\n" + "".join(f"b{i}{_LETTERS},{i},{i + 2},64\n" for i in range(count))
    )
    return path


def _xla(folder, count):
    path = folder / "module_0001.large.cpu_after_optimizations-buffer-assignment.txt"
    blocks = (
        f"allocation {i}: size 64, parameter {i}, shape |f32[16]| at ShapeIndex {{}}:\n"
        f" value: <{i} p{i}{_LETTERS} @0> (size=64,offset=0): f32[16]\n"
        for i in range(count)
    )
    path.write_text("BufferAssignment:\n" + "".join(blocks))
    return path


MAKERS = {
    "aie_design": _aie_design,
    "aie_words": _aie_words,
    "kineto": _kineto,
    "minimalloc": _minimalloc,
    "onnxruntime": _onnxruntime,
    "xla": _xla,
}
"""Source -> function of a folder and a number of entries that writes a file and returns its path.

150,000 entries need more than 200 MiB. Traces in JSON and logs of TPU-MLIR take less than a fifth of that.
"""
