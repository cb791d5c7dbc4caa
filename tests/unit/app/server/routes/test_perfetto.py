"""The bridge to Perfetto and the files that it hands over."""

import gzip

import pytest

from app.config.settings import ConfigurationError, load_settings
from app.server.factory import create_app
from ingest.files import ingest
from tests.support.aie_trace import trace_text

HERE = {"Sec-Fetch-Site": "same-origin"}
HOSTILE = "'\"><script>alert(1)</script>"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A data folder with one run whose name is hostile; and the run's id."""
    folder = tmp_path_factory.mktemp("data")
    path = tmp_path_factory.mktemp("capture") / "trace_mm_64_64_64.json"
    path.write_text(trace_text())
    repository = load_settings(data=folder).repository()
    run = ingest(repository, [path], {"name": HOSTILE}).runs[0].run_id
    repository.catalogue.close()
    return folder, run


def client_of(store, **settings):
    return create_app(load_settings(data=store[0], **settings)).server.test_client()


@pytest.fixture(scope="module")
def client(store):
    return client_of(store)


def test_the_bridge_alone_keeps_hold_of_what_it_opens(client, store):
    page = client.get(f"/perfetto/{store[1][:8]}")
    assert page.status_code == 200
    assert page.headers["Cross-Origin-Opener-Policy"] == "same-origin-allow-popups"
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert client.get(f"/run/{store[1]}").headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_the_bridge_has_no_code_of_its_own_and_names_stay_names(client, store):
    text = client.get(f"/perfetto/{store[1]}").text
    assert text.count("<script") == 1
    script = text.partition('<script src="')[2].partition('"')[0]
    answer = client.get(script)
    assert answer.status_code == 200
    assert "PONG" in answer.text


@pytest.mark.parametrize("suffix", ["json.gz", "pftrace"])
def test_exports_are_files_of_that_name(client, store, suffix):
    answer = client.get(f"/export/{store[1]}/perfetto.{suffix}", headers=HERE, buffered=True)
    assert answer.status_code == 200
    assert f"perfetto.{suffix}" in answer.headers["Content-Disposition"]
    assert len(gzip.decompress(answer.data) if suffix == "json.gz" else answer.data) > 1_000


@pytest.mark.parametrize(
    "path", ["/perfetto/ffffffffffff", "/export/ffffffffffff/perfetto.json.gz"]
)
def test_an_unknown_run_is_not_found(client, path):
    assert client.get(path, headers=HERE).status_code == 404


@pytest.mark.slow
def test_without_an_address_there_is_no_bridge_but_files(store):
    client = client_of(store, perfetto_url="")
    assert client.get(f"/perfetto/{store[1]}").status_code == 404
    answer = client.get(f"/export/{store[1]}/perfetto.json.gz", headers=HERE, buffered=True)
    assert answer.status_code == 200


@pytest.mark.parametrize("address", ["ui.perfetto.dev", "javascript:alert(1)", "https:///x"])
def test_an_address_has_a_host(address):
    with pytest.raises(ConfigurationError):
        load_settings(perfetto_url=address)
