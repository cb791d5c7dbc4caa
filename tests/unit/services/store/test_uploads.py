"""Uploads in parts, as the store keeps them."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import update

from app.config.settings import Settings
from services.store import uploads as store_uploads
from services.store.uploads import (
    MAX_SETTINGS_BYTES,
    OffsetError,
    PartedUploads,
    SettingsSizeError,
    TooManyPartsError,
)
from storage import quotas
from storage import uploads as storage_uploads
from storage.clock import timestamp
from storage.errors import QuotaError
from storage.quotas import OPEN_UPLOADS
from storage.uploads import Uploads
from storage.work_tables import UPLOADS


@pytest.fixture
def uploads(tmp_path):
    return PartedUploads(Settings(data=tmp_path / "data").repository())


def parts(tmp_path):
    return sorted(
        path.read_text() for path in (tmp_path / "data" / "frames").rglob("*") if path.is_file()
    )


def test_a_part_that_comes_while_its_upload_is_removed_leaves_nothing(uploads, tmp_path):
    upload = uploads.begin("anna", "a.json", 8, None, {})
    (tmp_path / "part").write_text("half")
    uploads.append(upload, 0, tmp_path / "part")
    seen = uploads.get(upload.upload_id, "anna")
    uploads.remove(seen)
    with pytest.raises(OffsetError):
        uploads.append(seen, 4, tmp_path / "part")
    assert parts(tmp_path) == []


def test_an_upload_has_a_bounded_number_of_parts(uploads, tmp_path, monkeypatch):
    monkeypatch.setattr(store_uploads, "MAX_PARTS", 3)
    upload = uploads.begin("anna", "a.json", 8, None, {})
    (tmp_path / "part").write_text("1")
    for offset in range(3):
        uploads.append(uploads.get(upload.upload_id, "anna"), offset, tmp_path / "part")
    with pytest.raises(TooManyPartsError):
        uploads.append(uploads.get(upload.upload_id, "anna"), 3, tmp_path / "part")
    assert parts(tmp_path) == ["1"] * 3


def test_settings_have_a_bounded_size(uploads):
    uploads.begin("anna", "a.json", 8, None, {"hwid": "x" * (MAX_SETTINGS_BYTES - 20)})
    with pytest.raises(SettingsSizeError):
        uploads.begin("anna", "a.json", 8, None, {"hwid": "x" * MAX_SETTINGS_BYTES})
    assert Uploads(uploads.repository.catalogue).sums()[0] == 1


def test_an_expired_upload_frees_its_place(uploads, monkeypatch):
    monkeypatch.setattr(storage_uploads, "OPEN_UPLOADS", replace(OPEN_UPLOADS, per_user=1))
    first = uploads.begin("anna", "a.json", 8, None, {})
    with pytest.raises(QuotaError):
        uploads.begin("anna", "b.json", 8, None, {})
    uploads.begin("bert", "b.json", 8, None, {})
    with uploads.repository.catalogue.begin() as connection:
        old = {"touched_at": timestamp(-timedelta(hours=25))}
        connection.execute(
            update(UPLOADS).where(UPLOADS.c.upload_id == first.upload_id).values(old)
        )
    uploads.begin("anna", "b.json", 8, None, {})


def test_the_bytes_of_uploads_under_way_are_bounded_and_one_alone_is_as_large_as_a_file(
    uploads, monkeypatch
):
    monkeypatch.setattr(quotas, "MAX_OPEN_BYTES_PER_USER", 100)
    monkeypatch.setattr(quotas, "MAX_OPEN_BYTES", 300)
    alone = uploads.begin("anna", "a.json", 150, None, {})
    with pytest.raises(QuotaError):
        uploads.begin("anna", "b.json", 1, None, {})
    uploads.begin("bert", "b.json", 100, None, {})
    with pytest.raises(QuotaError):
        uploads.begin("cleo", "c.json", 51, None, {})
    uploads.remove(alone)
    uploads.begin("anna", "b.json", 100, None, {})


def test_of_two_parts_for_one_place_the_first_counts(uploads, tmp_path):
    upload = uploads.begin("anna", "a.json", 8, None, {})
    for text in ("1111", "2222"):
        (tmp_path / text).write_text(text)
    uploads.append(upload, 0, tmp_path / "1111")
    with pytest.raises(OffsetError):
        uploads.append(upload, 0, tmp_path / "2222")
    (tmp_path / "2").write_text("2222")
    uploads.append(uploads.get(upload.upload_id, "anna"), 4, tmp_path / "2")
    uploads.gather(uploads.get(upload.upload_id, "anna"), tmp_path / "whole")
    assert (tmp_path / "whole").read_text() == "11112222"
