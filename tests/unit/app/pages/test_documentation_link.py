"""The top bar leads to the documentation if the server has it."""

import pytest

from app.config import assets
from app.config.settings import Settings
from app.pages.registry import PAGES
from app.pages.shell import layout
from tests.support.components import every


def top_bar_links(tmp_path):
    bar = every(layout(Settings(data=tmp_path), PAGES), "Header")[0]
    return [link.href for link in every(bar, "A")]


@pytest.mark.parametrize("is_built", [True, False])
def test_the_link_is_there_only_with_the_documentation(tmp_path, monkeypatch, is_built):
    monkeypatch.setattr(assets, "DOCUMENTATION", tmp_path / "docs")
    if is_built:
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "index.html").write_text("docs")
    assert ("/docs/" in top_bar_links(tmp_path)) == is_built
