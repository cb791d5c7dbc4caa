"""Every state of every step of the samples' captures: none fails, and each is made of nodes of the graph before it."""

import pytest

from analysis.program.replay import below
from app.config.settings import Settings
from ingest.files import ingest
from services.program.data import ProgramData
from services.run.stored_frames import StoredFrames

CAPTURES = ("train-0.12-cpu", "train-0.13-cpu", "gemm-0.14-cpu")


@pytest.mark.slow
@pytest.mark.parametrize("name", CAPTURES)
def test_every_state_of_a_capture_is_rebuilt(name, samples, tmp_path):
    repository = Settings(data=tmp_path / "data").repository()
    run_id = ingest(repository, [samples / "tinygrad" / name], {}).runs[0].run_id
    data = ProgramData(StoredFrames(repository, run_id))
    steps = data.frame("rewrite_steps")
    assert steps["root"].notna().all()
    for row in steps.itertuples():
        replay = data.replay(row.context, row.step)
        first = below(replay.nodes.sources, replay.root(0))
        assert (len(first), sum(len(replay.nodes.sources[node]) for node in first)) == (
            row.nodes,
            row.edges,
        )
        roots = [replay.root(match) for match in range(row.matches + 1)]
        order = below(replay.nodes.sources, roots[-1])
        assert order[-1] == roots[-1]
