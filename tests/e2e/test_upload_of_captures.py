"""Captures and strangers' pickles through the upload dialog, by keyboard where a hand may be without a mouse."""

import os

import pytest
from playwright.sync_api import expect

from components.runs.list_address import LIST_PATH
from samples.tinygrad_capture import training
from tests.e2e.uploads import choose_files

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


class Call:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


def test_a_capture_is_taken_without_its_paths_and_a_hostile_one_refused_in_words(page, tmp_path):
    mark, maker = tmp_path / "executed", training("0.13")
    files = {
        "profile.pkl": maker.profile(),
        "rewrites.pkl": maker.rewrites(),
        "hostile.profile.pkl": maker.add(Call(f"touch {mark}")).profile(),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    page.goto(LIST_PATH)
    page.locator("#upload-open").click()
    page.locator("#upload-settings").fill("name=ignored hwid=bench")
    page.keyboard.press("Tab")
    box = page.get_by_role("checkbox", name="Do not store source lines and file paths")
    expect(box).to_be_focused()
    page.keyboard.press("Space")
    expect(box).to_be_checked()
    with page.expect_request("**/api/v1/runs?*") as sent, page.expect_file_chooser() as chooser:
        page.locator("#upload").get_by_role("button", name="Choose files").click()
        chooser.value.set_files([str(tmp_path / name) for name in files])
    assert "hwid=bench&tinygrad.strip_tracebacks=true" in sent.value.url
    expect(page.locator('.ts-upload[data-state="taken"]')).to_contain_text("tinygrad")
    expect(page.locator('.ts-upload[data-state="along"]')).to_contain_text(
        "read along with profile.pkl"
    )
    refused = page.locator('.ts-upload[data-state="refused"]')
    expect(refused).to_contain_text("it names posix.system, which is not allowed in a capture")
    assert not mark.exists()
    assert page.request.get("/health").json()["status"] == "ok"
    page.keyboard.press("Escape")
    page.locator("#upload-open").click()
    expect(box).to_be_checked()


def test_files_that_a_busy_server_refuses_are_sent_again(page, tmp_path):
    (tmp_path / "notes.json").write_text("[]")
    asked = []

    def busy_twice(route):
        asked.append(route.request.url)
        if len(asked) > 2:
            return route.continue_()
        return route.fulfill(
            status=429, headers={"Retry-After": "1"}, json={"detail": "The server is busy."}
        )

    page.route("**/api/v1/runs?*", busy_twice)
    page.goto(LIST_PATH)
    choose_files(page, tmp_path / "notes.json")
    expect(page.locator(".ts-upload")).to_contain_text("waiting")
    expect(page.locator('.ts-upload[data-state="refused"]')).to_contain_text("notes.json")
    assert len(asked) == 3
