"""Files of frames: their bytes, damage to them, and the layout of older releases."""

from sqlalchemy import update

from storage.frame_file import pack_path
from storage.tables import RUNS


def frame_bytes(repository, stored, name):
    """Return the stored bytes of a frame."""
    return repository.store.read_content(stored.frame_file(name))


def damage(repository, run_id, name):
    """Overwrite the first bytes of a frame of a run in its pack."""
    stored = repository.find_run(run_id)
    pack = pack_path(stored.prefix)
    content = bytearray(repository.store.files.read(pack))
    start = stored.offsets[name]
    content[start : start + 4] = b"cut!"
    repository.store.files.write(pack, bytes(content))


def unpack(repository, run_id):
    """Store the frames of a run as releases up to 0.3.0 do: each in a file of its own."""
    stored = repository.find_run(run_id)
    for name in stored.frames:
        path = f"{stored.prefix}/{name}.parquet"
        repository.store.files.write(path, frame_bytes(repository, stored, name))
    repository.store.files.delete(pack_path(stored.prefix))
    with repository.catalogue.begin() as connection:
        connection.execute(update(RUNS).where(RUNS.c.run_id == run_id).values(offsets=None))
    repository.cache.clear()
