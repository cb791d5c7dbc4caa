import pytest

from data_loaders.tpu_mlir.bundle import companion_kind, content_kind, find_bundle
from tests.support.tpu_log import MODULE, PROFILE, SMALL

CONTENT = {".log": SMALL, ".mlir": MODULE, ".txt": PROFILE}


@pytest.fixture
def folder(tmp_path):
    def with_files(*names):
        for name in names:
            (tmp_path / name).write_text(CONTENT.get((tmp_path / name).suffix, "{}"))
        return tmp_path

    return with_files


def bundles(folder):
    """Return file -> its bundle, by names."""
    found = {}
    for path in sorted(folder.iterdir()):
        bundle = find_bundle(path)
        found[path.name] = (bundle.primary.name, sorted(other.name for other in bundle.companions))
    return found


CACHE = "layer_group_cache.json"
BESIDE = (
    "net.bmodel.json",
    f"net_bm1684x_f16.{CACHE}",
    "net_bm1684x_f16_final.mlir",
    "compiler_profile_0.txt",
)


def test_all_files_of_a_compile_make_one_run(folder):
    found = bundles(folder("lmem.log", *BESIDE))
    assert set(map(str, found.values())) == {str(("lmem.log", sorted(BESIDE)))}


def test_a_file_that_has_another_logs_name_belongs_to_that_log(folder):
    files = (f"net_b4_bm1684x_f16.{CACHE}", f"net_bm1684x_f16.{CACHE}", "compiler_profile_1.txt")
    found = bundles(folder("net.log", "my_net_b4.log", *files))
    assert found["net.log"][1] == ["compiler_profile_1.txt", files[1]]
    assert found["my_net_b4.log"][1] == ["compiler_profile_1.txt", files[0]]
    assert found[files[0]][0] == "my_net_b4.log"
    assert found[files[1]][0] == "net.log"


def test_a_chip_or_a_number_format_in_a_name_is_no_claim(folder):
    found = bundles(folder("lmem.log", "yolo_bm1684x_f16_given.log", f"net_bm1684x_f16.{CACHE}"))
    assert (
        found["lmem.log"][1]
        == found["yolo_bm1684x_f16_given.log"][1]
        == [f"net_bm1684x_f16.{CACHE}"]
    )


def test_what_only_looks_like_a_log_claims_nothing(folder):
    place = folder("lmem.log", *BESIDE)
    (place / "net.bmodel.txt").write_text("about the network")
    (place / "net.txt").write_text("about the network")
    assert find_bundle(place / "lmem.log").companions == tuple(
        place / name for name in sorted(BESIDE)
    )
    assert find_bundle(place / "compiler_profile_0.txt").primary.name == "lmem.log"


def test_without_a_log_the_module_is_the_run_and_without_that_the_first_profile(folder):
    place = folder(*BESIDE, "compiler_profile_1.txt")
    assert {primary for primary, _ in bundles(place).values()} == {"net_bm1684x_f16_final.mlir"}
    (place / "net_bm1684x_f16_final.mlir").unlink()
    assert {primary for primary, _ in bundles(place).values()} == {"compiler_profile_0.txt"}


def test_models_of_two_modules_stay_apart(folder):
    found = bundles(folder("a_final.mlir", "b_final.mlir", "a.bmodel.json", "b.bmodel.json"))
    assert found["a_final.mlir"] == ("a_final.mlir", ["a.bmodel.json"])
    assert found["b.bmodel.json"] == ("b_final.mlir", ["b.bmodel.json"])


def test_links_out_of_the_folder_are_not_followed(folder, tmp_path):
    place = folder("lmem.log")
    outside = tmp_path.parent / f"{tmp_path.name}_outside.bmodel.json"
    outside.write_text("[]")
    (place / "net.bmodel.json").symlink_to(outside)
    assert find_bundle(place / "lmem.log").companions == ()


def test_kinds_are_told_by_content_and_by_name(folder):
    place = folder("a.log", "b.mlir", "compiler_profile_0.txt")
    kinds = {path.name: content_kind(path, path.read_bytes()) for path in place.iterdir()}
    assert kinds == {"a.log": "log", "b.mlir": "module", "compiler_profile_0.txt": "profile"}
    assert companion_kind(place / "net.bmodel.json.gz") == "layers"
    assert companion_kind(place / "final.mlir") == "module"
    assert companion_kind(place / "net.log") is None


def test_a_log_that_cannot_be_read_claims_nothing(folder, monkeypatch):
    place = folder("net.log", *BESIDE)

    def unreadable(path):
        raise OSError("gone")

    monkeypatch.setattr("data_loaders.tpu_mlir.bundle.read_head", unreadable)
    assert (
        find_bundle(place / "compiler_profile_0.txt").primary.name == "net_bm1684x_f16_final.mlir"
    )


def test_a_companion_that_no_run_can_be_made_of_stays_alone(folder):
    place = folder("net.bmodel.json")
    assert find_bundle(place / "net.bmodel.json").primary.name == "net.bmodel.json"


def test_the_search_behind_what_a_compiler_says_first_ends(tmp_path, monkeypatch):
    monkeypatch.setattr("data_loaders.tpu_mlir.bundle._SEARCHED_BYTES", 1000)
    monkeypatch.setattr("data_loaders.tpu_mlir.blocks.BLOCK_BYTES", 500)
    path = tmp_path / "net.log"
    path.write_text("words\n" * 1000 + SMALL)
    assert content_kind(path, b"words\n") is None
