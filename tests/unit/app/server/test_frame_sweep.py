"""Bytes of frames of object storage are deleted with their runs, whichever process deletes these."""

import pytest

from app.config.settings import Settings
from app.server.factory import create_app
from app.server.frame_sweep import FrameSweep
from ingest.files import ingest
from storage.frame_folder import BUCKETS
from tests.support.aie_trace import trace_text


@pytest.fixture
def settings(tmp_path):
    """Settings of a store whose frames are not in a local folder."""
    return Settings(data=tmp_path / "data", frames_url=f"memory://{tmp_path.name}")


@pytest.mark.slow
def test_a_sweep_deletes_the_bytes_of_a_deleted_run(settings, tmp_path):
    repository = create_app(settings).server.extensions["tilescope"].repository
    path = tmp_path / "trace_mm_64_64_64.json"
    path.write_text(trace_text())
    run_id = ingest(repository, [path], {}).runs[0].run_id
    repository.frame(run_id, "events")
    folder = settings.frames_folder
    (folder / "0").mkdir(exist_ok=True)
    (folder / "0" / "another-layout").write_bytes(b"")
    sweep = FrameSweep(settings, repository.catalogue)

    def files_after_rounds():
        for _ in range(BUCKETS):
            sweep.take_round()
        return len([file for file in folder.glob("*/*") if file.is_file()])

    assert files_after_rounds() == 1
    repository.delete(run_id)
    assert files_after_rounds() == 0


def test_the_folder_is_beside_what_processes_share(tmp_path):
    shared = Settings(data=tmp_path / "data", answers_folder=tmp_path / "shared")
    assert shared.frames_folder.parent == tmp_path / "shared"
    assert Settings(data=tmp_path).frames_folder.parent == tmp_path
    assert Settings(data=tmp_path, frames_mb=0).frames_folder is None
