"""Read the companions of a TPU-MLIR log: layer groups, operators by line, profiles and modules."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.bundle import companion_kind
from data_loaders.tpu_mlir.groups import LayerGroup, read_groups
from data_loaders.tpu_mlir.layers import Layer, read_layers
from data_loaders.tpu_mlir.module import Module, read_module
from data_loaders.tpu_mlir.profile import Profile, known_layers, read_profile
from schema.diagnostics import Diagnostic


@dataclass
class Companions:
    """Contents of the companion files, in the order of their names.

    A kind has several entries when the folder contains files of several models.
    """

    groups: list[Sequence[LayerGroup]] = field(default_factory=list)
    layers: list[Mapping[int, Layer]] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    modules: list[Module] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)

    def read(self, path: Path, kind: str | None) -> None:
        """Read a companion file of this kind and append it to the list of the kind.

        Raises LoadError if its content does not fit. Other kinds and `None` are ignored.
        """
        if kind == "groups":
            self.groups.append(read_groups(path))
        elif kind == "layers":
            self.layers.append(read_layers(path))
        elif kind == "profile":
            self.profiles.append(read_profile(path))
            self.findings += _profile_findings(self.profiles[-1], path.name)
        elif kind == "module":
            self.modules.append(read_module(path))
            self.findings += _module_findings(self.modules[-1], path.name)

    def match_module(self, names: Collection[str]) -> Module | None:
        """Return the companion module with the most of these tensor names.

        The result is `None` if no module has any of them. If `names` is empty, return the first
        module, `None` if there are no modules.
        """
        wanted = set(names)
        scores = [
            len(wanted & {layer.name for layer in module.layers.values()})
            for module in self.modules
        ]
        best = max(range(len(scores)), key=scores.__getitem__, default=None)
        if best is None or (wanted and not scores[best]):
            return None
        return self.modules[best]

    def lines(self, module: Module | None) -> Mapping[int, Layer]:
        """Map line numbers to operators, of the model that the companion profiles belong to.

        Empty without layers and module. Profiles do not name their model, so the candidate with the
        most operators that match cells of the profiles is chosen.
        """
        candidates = [*self.layers, *([module.layers] if module else [])]

        def count_known_layers(layers: Mapping[int, Layer]) -> int:
            types = {line: layer.op_type for line, layer in layers.items()}
            return sum(known_layers(profile, types) for profile in self.profiles)

        return max(candidates, key=count_known_layers, default={})


def read_companions(paths: Sequence[Path]) -> Companions:
    """Read the companions of a log in order; a file that cannot be read becomes a finding."""
    companions = Companions()
    for path in paths:
        try:
            companions.read(path, companion_kind(path))
        except LoadError as error:
            companions.findings.append(
                Diagnostic("warning", "companion_unreadable", str(error), path.name)
            )
    return companions


def _profile_findings(profile: Profile, file: str) -> list[Diagnostic]:
    findings = []
    if not profile.whole:
        text = "the compiler profile has no API_END or no runtime: it is cut off"
        findings.append(Diagnostic("warning", "profile_cut", text, file))
    if profile.unreadable:
        text = "commands of the compiler profile could not be read"
        findings.append(Diagnostic("warning", "profile_unreadable", text, file, profile.unreadable))
    return findings


def _module_findings(module: Module, file: str) -> list[Diagnostic]:
    if module.whole:
        return []
    text = "the module is cut off: some tensors have no lifetime or name"
    return [Diagnostic("warning", "module_cut", text, file)]
