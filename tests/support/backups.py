"""Hand-made backup files, and comparisons of stores."""

import io
import json
import tarfile
from pathlib import Path

from services.store.backup import rows_member
from services.store.backup_file import MANIFEST, BackupWriter
from storage import backup_rows
from storage.annotations import Annotations, Change
from storage.audit import Audit
from storage.baselines import Baselines
from storage.checks import Check, Checks
from storage.revisions import HEAD
from storage.saved_placements import SavedPlacements
from storage.saved_texts import SavedViews
from storage.tokens import Token, Tokens
from storage.watched import Watched
from tests.support.frame_files import frame_bytes
from tests.support.kept import new_answer


def add_all(repository, ids):
    """Add annotations, a saved placement, a saved filter, a token, audit entries, a baseline with a
    verdict, and a watched file to a catalogue; `ids` are its runs, at least two.
    """
    catalogue = repository.catalogue
    Annotations(catalogue).change(
        ids[0], Change("näte \U0001f600", ("golden", "β"), pinned=True), "me"
    )
    Annotations(catalogue).change(ids[1], Change(notes="kept"), "me")
    SavedPlacements(catalogue).add(ids[0], new_answer("näte"), "me", 5)
    SavedViews(catalogue).add("v1", "mine", "hwid=npu1", "me")
    Tokens(catalogue).add(Token("t1", "ci", "write", "a" * 64, "2026-01-01", "me"))
    for what in ("one", "two", "three"):
        Audit(catalogue).add("me", "upload", what)
    Baselines(catalogue).set("base", [*ids[:2]], key={"source": "fake"}, last=3)
    check = Check("base", ids[0], repository.version(ids[0]), "h", "regressed")
    Checks(catalogue).put(check, Baselines(catalogue).get("base"))
    Watched(catalogue).put({Path("/in/a.fake"): (3, 2**60)}, {Path("/in/a.fake"): "new"})


def rows_of(repository):
    """Map each table of a backup to its rows, with blank prefixes and offsets, which differ between
    stores.
    """
    own = {"prefix": "", "offsets": None}
    with backup_rows.snapshot(repository.catalogue) as rows:
        return {name: [row | own for row in rows(name)] for name in backup_rows.TABLES}


def files_of(repository):
    """Map (run id, frame) to the stored bytes of the frame, for all frames of all runs."""
    return {
        (run.run_id, name): frame_bytes(repository, run, name)
        for run in repository.catalogue.runs()
        for name in run.frames
    }


def file_of(folder, rows=None, frames=None, revision=HEAD):
    """Write a backup with these rows by table and these bytes by member into a folder, and return
    its path.
    """
    path, scratch = folder / "made.tar", folder / "scratch"
    with path.open("wb") as stream:
        writer = BackupWriter(stream)
        for name, content in (frames or {}).items():
            scratch.write_bytes(content)
            writer.add(name, scratch)
        for table, some in (rows or {}).items():
            scratch.write_text("".join(json.dumps(row) + "\n" for row in some))
            writer.add(rows_member(table), scratch)
        writer.finish(revision, scratch)
    return path


def tar_of(path, *members):
    """Write a tar with `tarfile` and return its path; members are (name, content, further fields of
    the header).
    """
    with tarfile.open(path, "w") as tar:
        for name, content, more in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            for key, value in more.items():
                setattr(info, key, value)
            tar.addfile(info, io.BytesIO(content))
    return path


def damage_member(path, name):
    """Flip a bit in the middle of a member of a tar."""
    with tarfile.open(path) as tar:
        member = tar.getmember(name)
    content = bytearray(path.read_bytes())
    content[member.offset_data + member.size // 2] ^= 1
    path.write_bytes(content)


def remake(path, leave_out=(), replace=None, signed=False, revision=HEAD):
    """Write a copy of a backup without the members `leave_out` and with the members of `replace`
    (name -> bytes), and return its path.

    If it is `signed`, its manifest fits the new members; else it has the manifest of the original.
    """
    folder = path.with_name("remade")
    folder.mkdir(exist_ok=True)
    with tarfile.open(path) as tar:
        members = {member.name: tar.extractfile(member).read() for member in tar}
    manifest = members.pop(MANIFEST)
    kept = {
        name: content
        for name, content in (members | (replace or {})).items()
        if name not in leave_out
    }
    made = file_of(folder, frames=kept, revision=revision)
    if not signed:
        whole = made.read_bytes()
        with tarfile.open(made) as tar:
            begin = tar.getmember(MANIFEST).offset
        scratch = folder / "manifest"
        scratch.write_bytes(manifest)
        with made.open("wb") as stream:
            stream.write(whole[:begin])
            BackupWriter(stream).add(MANIFEST, scratch)
            stream.write(bytes(1024))
    return made
