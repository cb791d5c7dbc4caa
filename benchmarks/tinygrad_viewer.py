"""Measure tinygrad's own viewer on a capture, with a Python that has tinygrad 0.12.

`python tinygrad_viewer.py PROFILE ANSWER` unpickles the file, which executes its content, and
encodes it for the browser, without rewrites. It writes the seconds of both into ANSWER.
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from pathlib import Path

from tinygrad.viz.serve import get_profile


def main(profile: Path, answer: Path) -> None:
    """Measure the seconds to unpickle and to encode `profile`, and write them as JSON (`load_s`,
    `encode_s`) to the file `answer`.
    """
    begin = time.perf_counter()
    with profile.open("rb") as file:
        events = pickle.load(file)  # noqa: S301 - a capture that was made here
    loaded = time.perf_counter()
    encoded = get_profile(events)
    if not encoded:
        raise RuntimeError("nothing was encoded")
    answer.write_text(
        json.dumps({"load_s": loaded - begin, "encode_s": time.perf_counter() - loaded})
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
