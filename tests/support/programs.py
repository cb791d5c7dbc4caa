"""Captures of tinygrad as the data of the page of programs."""

from app.config.settings import Settings
from ingest.files import ingest
from services.program.data import Compilers
from services.run.data_cache import RunDataCache


def open_programs(folder, maker):
    """Ingest a tinygrad capture and return the data of its page of programs."""
    (folder / "run").mkdir()
    (folder / "run" / "profile.pkl").write_bytes(maker.profile())
    repository = Settings(data=folder / "data").repository()
    (run,) = ingest(repository, [folder / "run"], {}).runs
    return Compilers(repository, RunDataCache(repository)).get(run.run_id)
