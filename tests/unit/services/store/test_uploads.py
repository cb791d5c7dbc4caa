"""Uploads in parts, as the store keeps them."""

from __future__ import annotations

import pytest

from app.config.settings import Settings
from services.store.uploads import OffsetError, PartedUploads


@pytest.fixture
def uploads(tmp_path):
    return PartedUploads(Settings(data=tmp_path / "data").repository())


def parts(tmp_path):
    return sorted(path.read_text() for path in (tmp_path / "data" / "frames").rglob("*") if path.is_file())


def test_a_part_that_comes_while_its_upload_is_removed_leaves_nothing(uploads, tmp_path):
    upload = uploads.begin("anna", "a.json", 8, None, {})
    (tmp_path / "part").write_text("half")
    uploads.append(upload, 0, tmp_path / "part")
    seen = uploads.get(upload.upload_id, "anna")
    uploads.remove(seen)
    with pytest.raises(OffsetError):
        uploads.append(seen, 4, tmp_path / "part")
    assert parts(tmp_path) == []


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
