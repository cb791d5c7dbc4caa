"""A client of Tilescope's HTTP API that needs only Python 3.9 or later.

client = Client("https://tiles.example.org", token)
for run in client.push(["trace.json"], {"hwid": "npu2"})["runs"]:
    kernels = client.frame(run["run_id"], "kernels")
"""

from tilescope_client.client import Client
from tilescope_client.run import Run
from tilescope_client.transport import ApiError, Unreachable

__all__ = ["ApiError", "Client", "Run", "Unreachable"]
