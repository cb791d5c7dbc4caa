"""Settings of the documentation site, which `make docs` builds with Sphinx."""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_ROOT = Path(__file__).parents[1]

project = "Tilescope"
author = "the Tilescope developers"
release = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "version"
]
extensions = ["myst_parser"]
html_theme = "furo"
html_title = f"Tilescope {release}"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["misc.highlighting_failure"]

_OUTSIDE = {
    "../CONTRIBUTING.md": "contributing.md",
    "../CHANGELOG.md": "changelog.md",
    "../README.md": "index.md",
    "../client/README.md": "client.md",
}
"""Files of the repository beside docs/ -> the pages that have their text."""
_INCLUDED = re.compile(r"\]\(docs/")
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_SUMMARY = "Dashboard for the traces and memory maps that ML accelerators and their compilers leave behind."


def setup(app: Sphinx) -> None:
    """Connect what the site has beyond Sphinx."""
    app.connect("source-read", _lead_inside)
    app.connect("include-read", _lead_from_root)
    app.connect("build-finished", _finish)


def _lead_inside(_app: Sphinx, _name: str, content: list[str]) -> None:
    """Have links to files beside docs/ lead to their pages."""
    for outside, page in _OUTSIDE.items():
        content[0] = content[0].replace(f"]({outside}", f"]({page}")


def _lead_from_root(_app: Sphinx, _path: Path, _parent: str, content: list[str]) -> None:
    """Have links of files beside docs/ lead to the pages."""
    content[0] = _INCLUDED.sub("](", content[0])
    for outside, page in _OUTSIDE.items():
        content[0] = content[0].replace(f"]({outside.removeprefix('../')}", f"]({page}")


def _finish(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        for page in app.outdir.rglob("*.html"):
            _take_scripts_out(page, app.outdir)
        _write_llms(app)


def _take_scripts_out(page: Path, folder: Path) -> None:
    """Put scripts within a page into files: the server's Content-Security-Policy lets none within a page run."""
    parts = page.relative_to(folder).parent.parts

    def take(found: re.Match[str]) -> str:
        name = f"_static/{hashlib.sha256(found[1].encode()).hexdigest()[:12]}.js"
        (folder / name).write_text(found[1], encoding="utf-8")
        return f'<script src="{"../" * len(parts)}{name}"></script>'

    text = page.read_text(encoding="utf-8")
    page.write_text(_INLINE.sub(take, text), encoding="utf-8")


def _write_llms(app: Sphinx) -> None:
    """Write llms.txt: the pages for a language model, in the order of the site (https://llmstxt.org)."""
    known = app.env.toctree_includes
    pages = [page for folder in known.get("index", []) for page in (folder, *known.get(folder, []))]
    links = (f"- [{app.env.titles[page].astext()}]({page}.html)" for page in pages)
    lines = ["# Tilescope", "", f"> {_SUMMARY}", "", "## Pages", "", *links]
    (app.outdir / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
