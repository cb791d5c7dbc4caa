"""A tinygrad capture as the data of a run's page."""

from ingest.files import ingest
from samples.tinygrad_capture import training
from services.run.data_cache import RunDataCache


def write_capture(folder, maker=None):
    """Write profile.pkl and rewrites.pkl of a capture into a new folder, and return the folder."""
    maker = maker or training("0.12")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "profile.pkl").write_bytes(maker.profile())
    (folder / "rewrites.pkl").write_bytes(maker.rewrites())
    return folder


def profile_data(settings, folder, maker=None):
    """Ingest a capture and return the data of its run's page."""
    repository = settings.repository()
    run = ingest(repository, [write_capture(folder / "training", maker)], {}).runs[0]
    return RunDataCache(repository).get(run.run_id, "robust", {})
