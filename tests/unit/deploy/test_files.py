"""What operators are given: image, compose file, units. They are read as their programs read them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from app import __version__
from app.config.settings import ENV_PREFIX, Settings, load_settings

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
UNITS = sorted(DEPLOY.glob("*.service"))
OWN = ("server", "upgrade", "command", "scheduler", "worker")
"""Services of our own image."""
REQUIRED = re.compile(r"\$\{(\w+)")
REQUIRED_VALUE = re.compile(r"\$\{(\w+)[^}]*\}")
PROTECTED = (
    "DynamicUser=yes",
    "NoNewPrivileges=yes",
    "PrivateTmp=yes",
    "ProtectSystem=strict",
    "KillMode=mixed",
)
EXPOSURE = 2.5
"""The most that `systemd-analyze security` may find, of 10."""


def instructions(name):
    return re.findall(rf"^{name} (.+)$", DOCKERFILE, re.MULTILINE)


def test_every_stage_of_the_image_is_of_one_pinned_base():
    bases = {line.split(" AS ")[0] for line in instructions("FROM")}
    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.11\.\d+-slim-\w+@sha256:[0-9a-f]{64}", bases.pop())


def test_the_image_runs_as_nobody_special_and_is_asked_for_its_health():
    assert instructions("USER") == ["10001:10001"]
    assert instructions("VOLUME") == ["/data"]
    assert "/healthz" in DOCKERFILE.split("HEALTHCHECK")[1]
    assert instructions("ENTRYPOINT") == ['["python", "-m", "app"]']


def test_the_image_has_all_packages_and_what_is_built_is_sent():
    layers = re.search(r"layers = \[(.*)\]", (ROOT / "pyproject.toml").read_text())[1]
    packages = set(re.findall(r"\w+", layers))
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    names = {
        name for line in instructions("COPY") if "--from" not in line for name in line.split()[:-1]
    }
    assert packages | {"assets", "samples"} <= names
    assert {f"!{name}" for name in names} == {line for line in ignored if line.startswith("!")}
    assert "*" in ignored


@pytest.mark.slow
def test_the_image_has_what_the_commands_need(tmp_path):
    for line in instructions("COPY"):
        source = line.split()[0]
        if (ROOT / source).is_dir():
            (tmp_path / source).symlink_to(ROOT / source)
    command = [
        sys.executable,
        "-P",
        "-m",
        "app",
        "ingest",
        "samples/minimalloc",
        "--data",
        tmp_path / "data",
    ]
    done = subprocess.run(
        list(map(str, command)),
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "new " in done.stdout


def test_no_file_holds_a_secret():
    files = [path for path in DEPLOY.rglob("*") if path.is_file()]
    for path in (*files, ROOT / ".dockerignore"):
        assert not re.search(r"(SECRET|PASSWORD|TOKEN)\w*=\S", path.read_text()), path


@pytest.mark.parametrize("name", SERVICES)
def test_every_image_has_a_version(name):
    version = SERVICES[name]["image"].rpartition(":")[2]
    assert re.search(r"\d+\.\d+", version), name


def test_our_own_image_is_of_this_release():
    assert {SERVICES[name]["image"] for name in OWN} == {
        f"tilescope:${{TILESCOPE_VERSION:-{__version__}}}"
    }


def test_only_the_proxy_is_reached_from_outside():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert COMPOSE["networks"]["back"]["internal"]
    assert COMPOSE["networks"]["middle"]["internal"]
    reached = {name for name, service in SERVICES.items() if "back" in service.get("networks", ())}
    assert reached == {*OWN, "postgres", "objects"}
    outside = {name for name, service in SERVICES.items() if "front" in service.get("networks", ())}
    assert outside == {"proxy", "sign-in"}


def test_the_servers_trust_the_proxy_alone():
    address = SERVICES["proxy"]["networks"]["middle"]["ipv4_address"]
    assert SERVICES["server"]["environment"]["TILESCOPE_TRUSTED_PROXIES"] == f"{address}/32"
    assert SERVICES["server"]["environment"]["TILESCOPE_AUTH"] == "proxy"


@pytest.mark.parametrize("name", OWN)
def test_our_own_containers_may_write_to_their_data_alone(name):
    service = SERVICES[name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert "user" not in service


@pytest.mark.parametrize("name", OWN)
def test_every_setting_in_the_compose_file_is_one(name):
    named = {
        key.removeprefix(ENV_PREFIX).lower()
        for key in SERVICES[name]["environment"]
        if key.startswith(ENV_PREFIX)
    }
    assert named <= set(Settings.model_fields)


def test_the_servers_settings_are_accepted(monkeypatch):
    values = dict(line.split("=", 1) for line in _lines(DEPLOY / "compose.env.example"))
    for key, text in SERVICES["server"]["environment"].items():
        filled = re.sub(
            r"\$\{(\w+)(?::[-?][^}]*)?\}", lambda found: values.get(found[1]) or "1", text
        )
        monkeypatch.setenv(key, filled)
    settings = load_settings()
    assert settings.auth == "proxy"
    assert settings.public_url == "https://tiles.example.org"
    assert settings.workers == 2


def test_the_example_names_every_value_that_is_asked_for():
    asked = set(REQUIRED.findall((DEPLOY / "compose.yaml").read_text())) - {"TILESCOPE_VERSION"}
    assert asked == {line.partition("=")[0] for line in _lines(DEPLOY / "compose.env.example")}


def test_the_example_of_posts_has_settings_that_lead_outside(monkeypatch):
    added = yaml.safe_load((DEPLOY / "compose.posts.yaml").read_text())
    assert not (added["networks"]["out"] or {}).get("internal")
    values = {"GITHUB_TOKEN": "token", "PUBLIC_URL": "https://tiles.example.org"}
    for name in ("server", "command"):
        service = added["services"][name]
        assert {*SERVICES[name]["networks"], "out"} == {*service["networks"]}
        for key, text in service["environment"].items():
            monkeypatch.setenv(key, REQUIRED_VALUE.sub(lambda found: values[found[1]], text))
        settings = load_settings()
        assert (settings.alert_hosts, settings.github_token) == ("api.github.com", "token")
        assert settings.alert_every_s == 60


def _lines(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_gives_the_process_little(path):
    lines = path.read_text().splitlines()
    assert set(PROTECTED) <= set(lines)
    assert any(line.startswith("Restart=") for line in lines)
    assert not [line for line in lines if line.startswith("ProtectProc=")], (
        "signs of life of others are in /proc"
    )


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_understands_a_unit(path, tmp_path):
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd is not installed")
    unit = tmp_path / path.name
    unit.write_text(path.read_text().replace("/opt/tilescope/.venv/bin/python", "/bin/true"))
    done = subprocess.run([program, "verify", unit], capture_output=True, text=True, check=False)
    assert not [
        line for line in done.stderr.splitlines() if path.name in line or path.stem in line
    ], done.stderr
    security = [program, "security", "--offline=true", f"--threshold={round(10 * EXPOSURE)}", unit]
    done = subprocess.run(security, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
