"""The number of banks as a setting."""

import pytest

from data_loaders.memory_banks import MAX_BANKS, bank_count, with_banks
from data_loaders.minimalloc.run import MinimallocLoader
from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.log import TpuMlirLoader
from tests.support.comparisons import SAMPLES
from tests.support.memory import attempts


@pytest.mark.parametrize("text", ["0", "-1", "x", "", "1.5", str(MAX_BANKS + 1), "9" * 30, "²"])
def test_a_number_of_banks_is_from_1(text):
    with pytest.raises(LoadError, match="banks="):
        bank_count(text)


def test_banks_are_of_one_size():
    made = with_banks(
        attempts(2, capacity=[64, 128], banks=[2, 2], bank_bytes=[32, 64]), 4, "a.log"
    )
    assert made[["banks", "bank_bytes"]].to_numpy().tolist() == [[4, 16], [4, 32]]


@pytest.mark.parametrize(("capacity", "says"), [(None, "capacity"), (63, "63 bytes")])
def test_a_memory_that_cannot_have_them_is_refused(capacity, says):
    with pytest.raises(LoadError, match=says):
        with_banks(attempts(1, capacity=[capacity]), 4, "a.log")


@pytest.mark.slow
def test_problems_and_logs_take_the_setting(tmp_path):
    (tmp_path / "p.csv").write_text("id,lower,upper,size\na,0,3,24\n")
    run = MinimallocLoader().load(tmp_path / "p.csv", {"capacity": "1KiB", "banks": "8"})
    assert run.frames["attempts"][["banks", "bank_bytes"]].to_numpy().tolist() == [[8, 128]]
    log = next(path for path in sorted((SAMPLES / "tpu_mlir").rglob("*.log*")) if path.is_file())
    before = TpuMlirLoader().load(log, {}).frames["attempts"]
    after = TpuMlirLoader().load(log, {"banks": "4"}).frames["attempts"]
    own = before["banks"].notna()
    assert own.any()
    assert (after.loc[own, "banks"] == 4).all()
    assert (after["bank_bytes"] * 4 == after["capacity"]).all()
    assert (after["capacity"] == before["capacity"]).all()
