"""The folder of shared responses: bounded, harmless if it fails, and without damaged responses."""

import fcntl
import os
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest

from app.config.settings import Settings
from app.server import response_folder
from app.server.cached_response import CachedResponse
from app.server.response_folder import BUCKETS, ResponseFolder, ResponseKey, current_versions
from app.server.response_sweep import ResponseSweep
from tests.support.small_disk import small_disk

MADE = CachedResponse(b"body", 200)
OTHER = CachedResponse(b"made again", 200)


def key_of(digest, **prefixes):
    return ResponseKey.of(digest, prefixes or {"a1": "a1/x"})


def files_in(folder):
    return sorted(file for file in folder.glob("?/*"))


def bytes_in(folder):
    return sum(file.stat().st_size for file in files_in(folder))


@pytest.fixture
def folder(tmp_path):
    return ResponseFolder(tmp_path, 2**20)


def test_another_process_reads_the_response(tmp_path, folder):
    assert folder.get(key_of("a"), lambda: MADE) == MADE
    assert ResponseFolder(tmp_path, 2**20).get(key_of("a"), lambda: OTHER) == MADE
    assert folder.get(key_of("b"), lambda: OTHER) == OTHER


def test_a_response_is_made_by_one_process_at_a_time(tmp_path, folder):
    def make():
        with pytest.raises(BlockingIOError), lock.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return MADE

    with folder.making(key_of("a")):
        (lock,) = (tmp_path / "locks").iterdir()
    assert folder.get(key_of("a"), make) == MADE


def test_only_so_many_threads_wait_for_other_processes(folder, monkeypatch):
    names = []

    @contextmanager
    def lock(_folder, name, *_limits):
        names.append(name)
        yield

    monkeypatch.setattr(response_folder, "hold_lock", lock)
    monkeypatch.setattr(response_folder, "_WAITING", threading.BoundedSemaphore(1))
    with folder.making(key_of("a")), folder.making(key_of("b")):
        pass
    with folder.making(key_of("c")):
        pass
    assert names == [key_of("a").digest, key_of("c").digest]


def test_who_waited_for_another_process_gets_its_response(tmp_path, folder, monkeypatch):
    other = ResponseFolder(tmp_path, 2**20)

    @contextmanager
    def making(_folder, key):
        other.write(key, MADE)
        yield

    monkeypatch.setattr(ResponseFolder, "making", making)
    assert folder.get(key_of("a"), lambda: OTHER) == MADE


@pytest.mark.slow
def test_the_folder_does_not_grow_beyond_its_limit(tmp_path):
    limit = 64_000
    for number in range(400):
        # Each by a process of its own, as those that end after a request.
        ResponseFolder(tmp_path, limit).get(
            key_of(f"{number}"), lambda: CachedResponse(b"x" * 1_000, 200)
        )
    assert 0 < bytes_in(tmp_path) <= limit


@pytest.mark.slow
def test_the_response_that_was_used_last_stays(tmp_path):
    limit = BUCKETS * 3_600
    body = CachedResponse(b"x" * 1_000, 200)
    names = {}
    for number in range(200):
        folder = ResponseFolder(tmp_path, 2**30)
        folder.get(key_of(f"{number}"), lambda: body)
        (new,) = {*files_in(tmp_path)} - {*names.values()}
        names[f"{number}"] = new
    bucket = names["0"].parent
    first, second, *more = (name for name, file in names.items() if file.parent == bucket)
    for name in more[:-1]:
        names[name].unlink()
    for age, name in enumerate((first, second)):
        os.utime(names[name], (age, age))
    names[more[-1]].unlink()
    assert ResponseFolder(tmp_path, limit).get(key_of(first), lambda: OTHER) == body
    for number in (more[-1], more[0]):
        ResponseFolder(tmp_path, limit).get(key_of(number), lambda: body)
    assert set(bucket.iterdir()) == {names[name] for name in (first, more[-1], more[0])}


def damaged(file):
    content = file.read_bytes()
    yield b""
    yield b"\xff no status"
    yield content[:-1]
    yield content + b"x"
    yield content.replace(b"200", b"404")
    yield content.replace(b"a1", b"b2")
    yield b"[]\n" + content
    yield b"[" * 2**16 + content


def test_damage_is_made_again(tmp_path, folder):
    folder.get(key_of("a"), lambda: MADE)
    (file,) = files_in(tmp_path)
    for content in damaged(file):
        file.write_bytes(content)
        assert folder.get(key_of("a"), lambda: OTHER) == OTHER
        assert folder.get(key_of("a"), lambda: MADE) == OTHER


def test_the_file_of_another_response_is_made_again(tmp_path, folder):
    folder.get(key_of("a"), lambda: MADE)
    (file,) = files_in(tmp_path)
    folder.get(key_of("b"), lambda: OTHER)
    (other,) = {*files_in(tmp_path)} - {file}
    other.write_bytes(file.read_bytes())
    assert folder.get(key_of("b"), lambda: OTHER) == OTHER


def test_a_link_is_not_followed(tmp_path, folder):
    folder.get(key_of("a"), lambda: MADE)
    (file,) = files_in(tmp_path)
    secret = tmp_path / "secret"
    file.rename(secret)
    file.symlink_to(secret)
    assert folder.get(key_of("a"), lambda: OTHER) == OTHER
    assert not file.is_symlink()


def test_a_pipe_holds_no_request(tmp_path, folder):
    folder.get(key_of("a"), lambda: MADE)
    (file,) = files_in(tmp_path)
    file.unlink()
    os.mkfifo(file)
    assert folder.get(key_of("a"), lambda: OTHER) == OTHER


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_another_user_is_made_again(tmp_path, folder):
    folder.get(key_of("a"), lambda: MADE)
    (file,) = files_in(tmp_path)
    os.chown(file, 12345, 12345)
    assert folder.get(key_of("a"), lambda: OTHER) == OTHER


def test_only_the_user_of_the_server_may_read_the_files(tmp_path, folder):
    folder.get(key_of("a"), lambda: MADE)
    (file,) = files_in(tmp_path)
    assert [path.stat().st_mode & 0o077 for path in (file, file.parent)] == [0, 0]


def test_a_folder_that_cannot_be_written_costs_nothing_else(tmp_path):
    (tmp_path / "file").write_text("")
    assert ResponseFolder(tmp_path / "file", 10_000).get(key_of("a"), lambda: MADE) == MADE


def test_failures_are_not_written(tmp_path, folder):
    folder.get(key_of("a"), lambda: CachedResponse(b"", 500, is_cacheable=False))
    assert not files_in(tmp_path)


def test_a_full_disk_keeps_no_half_of_a_response(tmp_path):
    with small_disk(tmp_path / "disk", 2**20) as disk:
        large = CachedResponse(b"x" * 2**21, 200)
        assert ResponseFolder(disk, 2**30).get(key_of("a"), lambda: large) == large
        assert not files_in(disk)


def test_the_folder_is_beside_what_processes_share(tmp_path):
    settings = Settings(data=tmp_path / "data", answers_folder=tmp_path / "shared")
    assert ResponseFolder.of(settings).path == tmp_path / "shared" / "pages"
    assert ResponseFolder.of(Settings(data=tmp_path)).path == tmp_path / "pages"
    assert ResponseFolder.of(Settings(data=tmp_path, pages_mb=0)).path is None


def swept(folder, prefixes):
    for bucket in range(BUCKETS):
        folder.drop_outdated(
            bucket,
            lambda ids: current_versions({one: prefixes[one] for one in ids if one in prefixes}),
        )


def test_responses_of_deleted_and_replaced_runs_are_deleted(tmp_path, folder):
    keys = {
        "kept": key_of("kept", a1="a1/x"),
        "both": key_of("both", a1="a1/x", b2="b2/x"),
        "gone": key_of("gone", a1="a1/x", c3="c3/x"),
        "old": key_of("old", b2="b2/w"),
    }
    for key in keys.values():
        folder.get(key, lambda: MADE)
    swept(folder, {"a1": "a1/x", "b2": "b2/x"})
    left = {name for name, key in keys.items() if folder.get(key, lambda: OTHER) == MADE}
    assert left == {"kept", "both"}


def test_a_file_of_another_layout_is_deleted(tmp_path, folder):
    folder.get(key_of("a"), lambda: MADE)
    (file,) = files_in(tmp_path)
    for name, content in (("f" * 64, b"bars"), ("e" * 64, b'{"runs": 1}\n'), ("d", b"[" * 9_999)):
        (file.parent / name).write_bytes(content)
    swept(folder, {"a1": "a1/x"})
    assert files_in(tmp_path) == [file]


def test_the_analysis_version_is_part_of_a_run(monkeypatch):
    before = current_versions({"a1": "a1/x"})
    monkeypatch.setattr("services.run.tile_version.ANALYSIS_VERSION", -1)
    assert current_versions({"a1": "a1/x"}) != before


@pytest.mark.slow
def test_a_sweep_deletes_the_pages_of_a_deleted_run(settings, dashboard, upload):
    run = upload().json["runs"][0]["run_id"]
    dashboard.open(f"/run/{run}")
    dashboard.drawn(run, "iteration=1")
    sweep = ResponseSweep(settings, settings.catalogue())

    def pages_after_rounds():
        for _ in range(BUCKETS):
            sweep.take_round()
        return len(files_in(settings.data / "pages"))

    # The page, the pieces that it requests next, and those of the selection.
    assert pages_after_rounds() == 3
    settings.repository().delete(run)
    assert pages_after_rounds() == 0


def test_equal_runs_in_another_order_are_one_key():
    one = key_of("a", a1="a1/x", b2="b2/x")
    assert one == key_of("a", b2="b2/x", a1="a1/x")
    assert one != replace(one, digest="b")
