"""Tables of a query as its process sees them."""

import subprocess
import sys

import pyarrow as pa

from data_loaders.reading.isolated import ROOT

_COUNT = """
import json, sys
import services.query.child
from services.query.child_tables import create_view
from services.query.child import connect
connection = connect({"memory_mb": 500})
create_view(connection, "kernels", {"rows": sys.argv[1], "whole": [], "parts": []})
rows = connection.sql("SELECT max(duration_ns) AS longest FROM kernels").to_arrow_reader(10).read_all()
print(json.dumps([rows.to_pylist(), "pandas" in sys.modules]))
"""


def test_a_query_of_frames_imports_no_pandas(tmp_path):
    path = tmp_path / "rows.arrow"
    table = pa.table({"duration_ns": [1, 2, 4]})
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    command = [sys.executable, "-P", "-c", _COUNT, path]
    done = subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, check=True
    )
    assert done.stdout.split() == b'[[{"longest": 4}], false]'.split()
