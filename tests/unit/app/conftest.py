from pathlib import Path

import pytest

from app.config.settings import ENV_PREFIX, Settings
from app.pages.landing import standings
from app.pages.status import page, shown_status
from app.server.factory import create_app
from ingest.files import ingest
from services.jobs.runner import Runner
from services.run.data import RunData
from services.run.data_cache import RunDataCache
from services.status.rules import set_rule
from storage.rules import Rule
from tests.support.access import problem
from tests.support.aie_trace import trace_text
from tests.support.dash_client import DashClient
from tests.support.paced_trace import ingest_nights

SAMPLES = (
    "outputs",
    "tpu_mlir",
    "deeploy",
    "minimalloc",
    "tinygrad/train-0.13-cpu",
    "tinygrad/gemm-0.14-cpu",
    "aie_words/addresses",
    "aie_design",
    "torch_snapshot",
    "results",
    "kineto",
)
GOOD_NIGHTS, NIGHTS = 4, 6


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """No file and no variable of the machine shows through."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(ENV_PREFIX + name.upper(), raising=False)


@pytest.fixture(scope="session")
def sample_runs(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> list[RunData]:
    """The data of one run at least of every sample, ingested once a process."""
    repository = Settings(data=tmp_path_factory.mktemp("samples") / "data").repository()
    cache = RunDataCache(repository)
    found = ingest(repository, [samples / name for name in SAMPLES], {}).runs
    return [cache.get(run.run_id, "robust", {}) for run in found]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", max_upload_mb=1)


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin no job: its thread would outlive the test, and its error would fail another one."""
    monkeypatch.setattr(Runner, "begin", lambda *_: None)


@pytest.fixture
def dashboard(settings: Settings) -> DashClient:
    catalogue = settings.catalogue()
    catalogue.create()  # as `serve` does before it starts
    catalogue.close()
    return DashClient(create_app(settings))


@pytest.fixture
def upload(dashboard: DashClient):
    """Send a trace to the server as a browser does."""

    def send(
        name="outputs/npu2-gemm_64_64_64-2_row_1_col/traces/trace_mm_64_64_64.json",
        body=None,
        **query,
    ):
        query |= {"name": name}
        data = trace_text().encode() if body is None else body
        return dashboard.http.post("/api/upload", query_string=query, data=data)

    return send


@pytest.fixture
def signed_in(settings: Settings):
    """Give a client for a person whom a proxy names: ada is admin, edgar is editor, all others are viewers."""
    known = settings.model_copy(
        update={
            "auth": "proxy",
            "trusted_proxies": "127.0.0.1/32",
            "admins": "ada",
            "editors": "edgar",
        }
    )
    catalogue = known.catalogue()
    catalogue.create()
    catalogue.close()
    app = create_app(known)

    def client(name: str) -> DashClient:
        found = DashClient(app)
        found.http.environ_base |= {
            "HTTP_X_FORWARDED_USER": name,
            "HTTP_SEC_FETCH_SITE": "same-origin",
        }
        return found

    return client


@pytest.fixture
def problem_run(signed_in) -> str:
    """The id of a run of a MiniMalloc problem."""
    response = signed_in("edgar").http.post(
        "/api/upload", query_string={"name": "p.81920.csv"}, data=problem(1)
    )
    return response.json["runs"][0]["run_id"]


@pytest.fixture
def nights(signed_in, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs of a key that regressed, oldest first; no request leaves a comparison for later."""
    repository = signed_in("edgar").repository
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    monkeypatch.setattr(page, "SHOWN_WITHIN_S", 600.0)
    monkeypatch.setattr(
        standings,
        "load_status",
        lambda context, state, _: shown_status.load_status(context, state, 600.0),
    )
    return ingest_nights(repository, tmp_path, GOOD_NIGHTS, NIGHTS)
