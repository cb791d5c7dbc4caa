"""The contract of loaders and views as pytest classes; docs/plugins.md describes their use.

class TestLoader(LoaderContract):
    loader = MyLoader

    def samples(self, folder):
        (folder / "a.log").write_text(SAMPLE)
        return [folder / "a.log"]
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

# Before its import, so that failed checks show their values.
pytest.register_assert_rewrite("tilescope.run_contract")

from app.views.plugin_view import wrap_view  # noqa: E402
from app.views.registry import BUILT_IN, RUN  # noqa: E402
from app.views.state import RunState  # noqa: E402
from app.views.view import ContentView, Part, Plot, View  # noqa: E402
from app.views.view_plugins import check_plugin  # noqa: E402
from data_loaders.plugins import check_loader  # noqa: E402
from data_loaders.protocol import LoadedRun, LoadError  # noqa: E402
from data_loaders.reading.files import read_head  # noqa: E402
from data_loaders.registry import registered_loader, sniff  # noqa: E402
from ingest.files import ingest  # noqa: E402
from schema.sources import SOURCES  # noqa: E402
from services.run.data import RunData  # noqa: E402
from services.run.data_cache import RunDataCache  # noqa: E402
from storage.repository import Repository  # noqa: E402
from tilescope.run_contract import check_run  # noqa: E402

_NUMBER = re.compile(rb"(?<![\w.])\d+(?![\w.])")
# The third exceeds 32 bits and the fourth 64 bits.
_NUMBERS = (b"0", b"-1", b"99999999999", b"9" * 30, b"x")
"""Texts that replace a number of a sample."""
_DAMAGES = 24
"""Number of places of a sample that are damaged, one at a time."""
_GARBAGE = b"\x01 no such line \xff,,,"
"""Line that replaces a line of a sample."""


class LoaderContract:
    """Tests of a loader; a subclass sets `loader` and defines `samples`."""

    loader: Callable[[], Any]

    def samples(self, folder: Path) -> list[Path]:
        """Write sample files into `folder` and return the paths of the files that are runs."""
        raise NotImplementedError

    @pytest.fixture
    def made(self) -> Any:  # noqa: ANN401 - a loader of another package
        """Create an instance of the loader."""
        return type(self).loader()

    @pytest.fixture
    def files(self, tmp_path: Path) -> list[Path]:
        """Write the samples and return their files, at least one."""
        folder = tmp_path / "samples"
        folder.mkdir()
        files = self.samples(folder)
        assert files, "samples() returns the files that are runs"
        return files

    def test_it_is_a_loader_of_this_version_of_the_api(self, made: Any) -> None:  # noqa: ANN401
        """It has all members, a name that no built-in source has, and texts that are not empty."""
        check_loader(made, made.name)
        assert made.name not in {source.name for source in SOURCES}, (
            "the name is the name of a built-in source"
        )
        assert re.fullmatch(r"[a-z][a-z0-9_]*", made.name), (
            "a name must consist of lowercase letters, digits and _"
        )
        assert made.reads.strip()
        assert made.version.strip()

    def test_it_claims_a_file_by_its_content(
        self,
        made: Any,  # noqa: ANN401
        files: list[Path],
        tmp_path: Path,
    ) -> None:
        """It claims a sample under any name, and refuses other content under a sample's name."""
        for file in files:
            renamed = tmp_path / "renamed"
            renamed.write_bytes(file.read_bytes())
            assert made.sniff(file, read_head(file)) is None
            assert made.sniff(renamed, read_head(renamed)) is None, (
                "a file with another name is rejected"
            )
            for content in (
                b"",
                b"no such content\n",
                b"\x00\xff" * 400,
                b'{"a": 1}\n',
                b"a,b,c\n1,2,3\n",
            ):
                file.write_bytes(content)
                refusal = made.sniff(file, content)
                assert refusal, f"a file with its name and the content {content[:16]!r} is accepted"
                assert isinstance(refusal, str)

    def test_no_built_in_loader_claims_its_files(self, files: list[Path]) -> None:
        """No built-in loader claims a sample: a file that two loaders claim is not read."""
        built_in = {source.name for source in SOURCES}
        for file in files:
            assert not [
                name
                for name, refusal in sniff(file).items()
                if refusal is None and name in built_in
            ]

    def test_every_file_of_a_bundle_leads_to_it(self, made: Any, files: list[Path]) -> None:  # noqa: ANN401
        """Each file of a run leads to the bundle of the whole run."""
        for file in files:
            bundle = made.bundle(file)
            for part in (bundle.primary, *bundle.companions):
                assert part.is_file()
                assert made.bundle(part) == bundle

    def test_it_reads_runs_of_the_schema(self, made: Any, files: list[Path]) -> None:  # noqa: ANN401
        """Its frames conform to docs/frames.md: columns, types, order and valid intervals."""
        for file in files:
            check_run(_load(made, file))

    def test_it_reads_the_same_twice(self, made: Any, files: list[Path]) -> None:  # noqa: ANN401
        """Reading a file twice gives equal runs: a run is stored by the content of its file."""
        for file in files:
            first = _load(made, file)
            # A new instance, so that nothing remembered from the first file helps.
            second = _load(type(self).loader(), file)
            assert first.metadata == second.metadata
            for name, frame in first.frames.items():
                pd.testing.assert_frame_equal(frame, second.frames[name])

    def test_it_reads_compressed_files(self, made: Any, files: list[Path]) -> None:  # noqa: ANN401
        """It reads a gzip file under any name; `open_content` opens plain and compressed files."""
        for file in files:
            if made.bundle(file).companions:
                continue
            frames = _load(made, file).frames
            # When compressed, the file keeps its name: a loader must not rely on the suffix .gz.
            file.write_bytes(gzip.compress(file.read_bytes()))
            assert made.sniff(file, read_head(file)) is None
            for name, frame in _load(made, file).frames.items():
                pd.testing.assert_frame_equal(frame, frames[name])

    def test_a_file_that_ends_too_early_is_read_up_to_there(
        self,
        made: Any,  # noqa: ANN401
        files: list[Path],
    ) -> None:
        """A cut file gives a valid run, or a LoadError if no part of it can be read."""
        for file in files:
            whole = file.read_bytes()
            for part in range(_DAMAGES):
                file.write_bytes(whole[: len(whole) * part // _DAMAGES])
                _load_or_refuse(made, file)

    def test_a_damaged_file_costs_what_is_damaged(self, made: Any, files: list[Path]) -> None:  # noqa: ANN401
        """Any damaged file gives a valid run or a LoadError, and never another exception."""
        for file in files:
            for damaged in _damaged_copies(file.read_bytes()):
                file.write_bytes(damaged)
                _load_or_refuse(made, file)

    def test_nothing_is_dropped_without_a_finding(self, made: Any, files: list[Path]) -> None:  # noqa: ANN401
        """If a damaged line leads to fewer rows, a finding reports it."""
        for file in files:
            whole = file.read_bytes()
            before = _load(made, file)
            for damaged in _without_lines(whole):
                file.write_bytes(damaged)
                after = _load_or_refuse(made, file)
                if after is not None and _rows(after) < _rows(before):
                    assert len(after.diagnostics) > len(before.diagnostics), (
                        "rows are dropped without a finding"
                    )

    def test_settings_that_it_names_are_known(self, made: Any, files: list[Path]) -> None:  # noqa: ANN401
        """It accepts the settings that it names, and the user's `hwid` takes precedence."""
        assert all(isinstance(name, str) and name for name in made.setting_names)
        if "hwid" in made.setting_names:
            for file in files:
                bundle = made.bundle(file)
                run = made.load(bundle.primary, {"hwid": "lab7"}, None, bundle.companions)
                assert run.metadata.get("hwid") == "lab7", "the user's settings take precedence"


class ViewContract:
    """Tests of views.

    A subclass sets `plugin`, and a `loader` with `samples` to draw the views with.
    """

    plugin: Any
    loader: Callable[[], Any]
    samples: Callable[..., list[Path]]

    @pytest.fixture
    def runs(self, tmp_path: Path) -> Iterator[list[RunData]]:
        """Yield the data of the samples' runs as a page has them."""
        loader = type(self).loader()
        (tmp_path / "samples").mkdir()
        files = self.samples(tmp_path / "samples")
        data = tmp_path / "data"
        data.mkdir()
        repository = Repository(f"sqlite:///{data / 'catalogue.sqlite'}", str(data / "frames"))
        built_in = {source.name for source in SOURCES}
        if loader.name in built_in:
            yield _read(repository, ingest(repository, files, {}).runs)
            return
        # When its tests run, the plugin need not be installed with an entry point.
        with registered_loader(loader, loader.name):
            yield _read(repository, ingest(repository, files, {}, loader=loader.name).runs)

    def test_it_is_a_plugin_of_this_version_of_the_api(self) -> None:
        """Its records are views with unique ids, a title and a help text."""
        check_plugin(self.plugin, BUILT_IN)

    def test_every_view_is_shown_for_a_sample(self, runs: list[RunData]) -> None:
        """Each view is shown for at least one sample, so that every view is tested."""
        assert runs, "no sample was read"
        for view in self._views():
            assert any(view.shown_for(run) for run in runs), (
                f"no sample has what view {view.id} needs"
            )

    def test_every_view_is_drawn(self, runs: list[RunData]) -> None:
        """Each view is drawn in both themes, has a caption, and is valid for a browser."""
        for view, run, state in self._applicable_views(runs):
            if isinstance(view, Plot):
                for theme in ("light", "dark"):
                    panel = view.draw(run, state, theme)
                    assert panel.caption.strip() or not panel.figure.has_traces, (
                        f"view {view.id} returns an empty text"
                    )
                    assert panel.figure.plotly
            elif isinstance(view, ContentView):
                part = view.make(run, state)
                assert isinstance(part, Part)
                assert part.caption.strip() or part.body is None, (
                    f"view {view.id} returns an empty text"
                )

    def test_every_choice_is_drawn(self, runs: list[RunData]) -> None:
        """Each view is drawn with each value of each of its options."""
        for view, run, _ in self._applicable_views(runs):
            for choice in view.choices:
                for value in choice.options:
                    state = RunState(chosen={choice.name: value})
                    if isinstance(view, Plot):
                        view.draw(run, state, "light")
                    else:
                        view.make(run, state)  # type: ignore[attr-defined]

    def test_a_snapshot_has_what_it_shows(self, runs: list[RunData]) -> None:
        """The text tables of a snapshot have a name, and rows as long as their labels."""
        for view, run, state in self._applicable_views(runs):
            for table in view.tables(run, state):
                assert table.name
                assert all(len(row) == len(table.labels) for row in table.rows)

    def test_it_is_shown_for_runs_of_its_sources_alone(self, runs: list[RunData]) -> None:
        """If the plugin is limited to sources, the samples are of these sources."""
        if self.plugin.sources:
            assert {str(run.run["source"].iloc[0]) for run in runs} <= {*self.plugin.sources}

    def _views(self) -> list[View]:
        plugin = check_plugin(self.plugin, BUILT_IN)
        return [wrap_view(view, plugin.sources) for view in plugin.views]

    def _applicable_views(self, runs: list[RunData]) -> Iterator[tuple[View, RunData, RunState]]:
        """Yield each view as its author wrote it, with each run that has it and a default state."""
        for plain, view in zip(self.plugin.views, self._views(), strict=True):
            for run in runs:
                if view.shown_for(run):
                    yield plain, run, RUN.parse("")


def _load(loader: Any, file: Path) -> LoadedRun:  # noqa: ANN401 - a loader of another package
    bundle = loader.bundle(file)
    run = loader.load(bundle.primary, {}, None, bundle.companions)
    assert isinstance(run, LoadedRun)
    return run


def _load_or_refuse(loader: Any, file: Path) -> LoadedRun | None:  # noqa: ANN401
    """Return a valid run, or None if the loader raises a LoadError with a sentence."""
    try:
        run = _load(loader, file)
    except LoadError as error:
        assert str(error).strip(), "the message of a LoadError must be a sentence"
        return None
    check_run(run)
    return run


def _damaged_copies(content: bytes) -> Iterator[bytes]:
    """Yield copies with one damaged place: a replaced number, a replaced line or a flipped bit."""
    numbers = _spread([*_NUMBER.finditer(content)])
    for number in numbers:
        for text in _NUMBERS:
            yield content[: number.start()] + text + content[number.end() :]
    yield from _without_lines(content)
    for place in _spread([*range(len(content))]):
        # The top bit turns ASCII into a byte that is not valid UTF-8.
        yield content[:place] + bytes([content[place] ^ 0x80]) + content[place + 1 :]


def _without_lines(content: bytes) -> Iterator[bytes]:
    """Yield copies with one line replaced by garbage; the first line stays."""
    lines = content.splitlines(keepends=True)
    # Without its first line a file may not be recognised at all.
    for place in _spread([*range(1, len(lines))]):
        yield b"".join([*lines[:place], _GARBAGE + b"\n", *lines[place + 1 :]])


def _spread(places: list[Any]) -> list[Any]:
    """Return about `_DAMAGES` of the places, evenly spread."""
    step = max(1, len(places) // _DAMAGES)
    return places[::step]


def _rows(run: LoadedRun) -> int:
    return sum(len(frame) for frame in run.frames.values())


def _read(repository: Any, runs: Any) -> list[RunData]:  # noqa: ANN401 - what the ingest answers
    data = RunDataCache(repository)
    return [data.get(run.run_id, "robust", {}) for run in runs]
