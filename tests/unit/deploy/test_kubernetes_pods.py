from urllib.parse import urlsplit

import pytest
from gunicorn.config import GracefulTimeout

from app import __version__
from app.config.settings import ENV_PREFIX, Settings, load_settings
from tests.support.kubernetes import (
    COMPOSE,
    PODS,
    ROOT,
    SECRETS,
    container,
    environment,
    kustomization,
    manifests,
    maps,
    secret_references,
)

TEMPORARY = "/tmp"  # noqa: S108 - of a container


@pytest.mark.parametrize("name", PODS)
def test_a_pod_may_do_little(name):
    spec, own = PODS[name]["spec"], container(name)
    assert spec["securityContext"]["runAsNonRoot"]
    user = f"{spec['securityContext']['runAsUser']}:{spec['securityContext']['runAsGroup']}"
    assert f"USER {user}\n" in (ROOT / "deploy" / "Dockerfile").read_text()
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    assert own["securityContext"]["readOnlyRootFilesystem"]
    assert own["securityContext"]["allowPrivilegeEscalation"] is False
    assert own["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert own["resources"]["requests"].keys() == {"cpu", "memory"}
    assert own["resources"]["limits"]["memory"]


@pytest.mark.parametrize("name", PODS)
def test_what_a_pod_writes_goes_to_folders_of_bounded_size(name):
    folders = {
        volume["name"]: volume["emptyDir"]["sizeLimit"] for volume in PODS[name]["spec"]["volumes"]
    }
    places = {
        mount["mountPath"]: folders[mount["name"]] for mount in container(name)["volumeMounts"]
    }
    assert set(places) == {"/data", TEMPORARY}
    assert environment(name)["TMPDIR"] == TEMPORARY


@pytest.mark.parametrize("name", PODS)
def test_no_service_of_the_namespace_becomes_a_setting(name):
    assert PODS[name]["spec"]["enableServiceLinks"] is False


def test_every_image_is_of_this_release():
    assert {container(name)["image"] for name in PODS} == {f"tilescope:{__version__}"}
    assert [(image["name"], image["newTag"]) for image in kustomization("example")["images"]] == [
        ("tilescope", __version__)
    ]


@pytest.mark.parametrize("name", PODS)
def test_every_variable_is_a_setting_or_has_a_known_reader(name):
    others = {
        "TMPDIR",
        "POD_ADDRESS",
        "SITE_NAMES",
        "PGPASSWORD",
        "PGSSLROOTCERT",
        "DASK_DISTRIBUTED__WORKER__DAEMON",
    }
    for key in environment(name):
        known = (
            key.startswith(ENV_PREFIX)
            and key.removeprefix(ENV_PREFIX).lower() in Settings.model_fields
        )
        assert known or key in others or key.startswith("AWS_"), key


@pytest.mark.parametrize("name", PODS)
def test_a_secret_is_of_a_secret(name):
    assert not SECRETS & {key for content in maps().values() for key in content}
    assert not [
        one for one in container(name).get("env", ()) if one["name"] in SECRETS and "value" in one
    ]
    references = secret_references(name)
    assert {variable: ref["key"] for variable, ref in references.items()} == {
        variable: variable for variable in references
    }
    assert references.keys() == SECRETS & environment(name).keys()
    assert urlsplit(environment(name)[f"{ENV_PREFIX}DATABASE_URL"]).password is None


def test_workers_get_no_secret_of_sign_in():
    assert {ref["name"] for ref in secret_references("tilescope-worker").values()} == {
        "tilescope-store"
    }
    for name in ("tilescope-worker", "tilescope-scheduler", "tilescope-upgrade"):
        assert container(name)["envFrom"] == [{"configMapRef": {"name": "tilescope-store"}}]


def test_the_page_of_hosting_makes_every_secret():
    page = (ROOT / "docs" / "hosting.md").read_text()
    for name in PODS:
        for variable, ref in secret_references(name).items():
            assert ref.get("optional") or f"--from-literal={variable}=" in page
            assert f"secret generic {ref['name']} " in page


def test_the_servers_settings_are_accepted(monkeypatch):
    optional = {
        name for name, ref in secret_references("tilescope-server").items() if ref.get("optional")
    }
    for key, text in environment("tilescope-server").items():
        if key not in optional:
            monkeypatch.setenv(key, text)
    settings = load_settings()
    assert settings.auth == "oidc"
    assert settings.allowed_hosts == "tiles.example.org,10.244.1.7"
    assert settings.backup_plan().every_s == 86_400
    assert not settings.is_open


@pytest.mark.parametrize("name", ["server", "worker", "upgrade"])
def test_the_settings_are_those_of_compose(name):
    given, asked = environment(f"tilescope-{name}"), COMPOSE[name]["environment"]
    assert {key for key in asked if key.startswith((ENV_PREFIX, "PG"))} <= given.keys()
    assert given[f"{ENV_PREFIX}LOG_FORMAT"] == asked[f"{ENV_PREFIX}LOG_FORMAT"]


def test_a_server_is_given_time_to_stop():
    spec = PODS["tilescope-server"]["spec"]
    pause = int(container("tilescope-server")["lifecycle"]["preStop"]["exec"]["command"][1])
    grace = spec["terminationGracePeriodSeconds"]
    assert pause + GracefulTimeout.default < grace
    assert COMPOSE["server"]["stop_grace_period"] == f"{grace}s"


@pytest.mark.slow
def test_a_roll_takes_no_server_away_before_another_is_ready():
    spec = manifests("Deployment")["Deployment", "tilescope-server"]["spec"]
    assert spec["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1},
    }
    budget = manifests("PodDisruptionBudget")["PodDisruptionBudget", "tilescope-server"]["spec"]
    assert budget["maxUnavailable"] < spec["replicas"]


def test_the_catalogue_is_upgraded_on_request_only():
    upgrade = manifests("CronJob")["CronJob", "tilescope-upgrade"]["spec"]
    assert upgrade["suspend"] is True
    assert container("tilescope-upgrade")["args"] == COMPOSE["upgrade"]["command"]
    assert not [name for name, pod in PODS.items() if "initContainers" in pod["spec"]]
    assert (
        "create job tilescope-upgrade --from=cronjob/tilescope-upgrade"
        in (ROOT / "docs" / "hosting.md").read_text()
    )


@pytest.mark.parametrize("name", ["scheduler", "worker"])
def test_dask_is_started_as_compose_does(name):
    own, composed = container(f"tilescope-{name}"), COMPOSE[name]
    assert own["command"] == composed["entrypoint"]
    same = [
        word.replace("tilescope-scheduler", "scheduler").replace(TEMPORARY, "/data/tmp")
        for word in own["args"]
    ]
    assert same == composed["command"]
