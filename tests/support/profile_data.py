"""A tinygrad capture of our own as the data of a run's page."""

from ingest.files import ingest
from services.run.data import RunDataCache
from tests.support.tinygrad_capture import training


def write_capture(folder, maker=None):
    """Write profile.pkl and rewrites.pkl of a capture into a folder, which is made; return it."""
    maker = maker or training("0.12")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "profile.pkl").write_bytes(maker.profile())
    (folder / "rewrites.pkl").write_bytes(maker.rewrites())
    return folder


def profile_data(settings, folder, maker=None):
    """Take a capture in and return its RunData."""
    repository = settings.repository()
    run = ingest(repository, [write_capture(folder / "training", maker)], {}).runs[0]
    return RunDataCache(repository).get(run.run_id, "robust", {})
