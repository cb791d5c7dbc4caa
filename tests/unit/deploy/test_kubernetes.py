"""The manifests for Kubernetes: read as kustomize puts them together, and compared with what the server is."""

import re
import shutil
import subprocess
from itertools import product
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from gunicorn.config import GracefulTimeout

from app import __version__
from app.config.settings import ENV_PREFIX, Settings
from app.server.factory import create_app

ROOT = Path(__file__).resolve().parents[3]
KUBERNETES = ROOT / "deploy" / "kubernetes"
FOLDERS = ("base", "example")
FILES = sorted(
    path for folder in FOLDERS for path in (KUBERNETES / folder).rglob("*") if path.is_file()
)
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
RELEASES = ("1.29", "1.37")
"""Of Kubernetes: an old one, and the newest that is known."""
CUSTOM = {"Kustomization", "ServiceMonitor"}
"""Kinds that are none of Kubernetes itself."""
SECRETS = {
    ENV_PREFIX + name.upper() for name, info in Settings.model_fields.items() if not info.repr
} | {
    "PGPASSWORD",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
}
TEMPORARY = "/tmp"  # noqa: S108 - of a container
HASHED = re.compile(r"(tilescope-(?:store|server))-[a-z0-9]{10}")


def documents(path):
    return list(yaml.safe_load_all(path.read_text()))


def kustomization(folder):
    return documents(KUBERNETES / folder / "kustomization.yaml")[0]


def manifests(*kinds):
    """Return what the resources of base and overlay have of some kinds, by the place and name of each."""
    found = {}
    for folder in FOLDERS:
        for name in kustomization(folder)["resources"]:
            path = KUBERNETES / folder / name
            for one in documents(path) if path.is_file() else ():
                if not kinds or one["kind"] in kinds:
                    found[one["kind"], one["metadata"]["name"]] = one
    return found


def lines(path):
    """Return the variables of a file as kustomize takes them."""
    text = (line for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return dict(line.split("=", 1) for line in text)


def maps():
    """Return the content of every ConfigMap of the example."""
    content = {}
    for folder in FOLDERS:
        for made in kustomization(folder)["configMapGenerator"]:
            for name in made["envs"]:
                content.setdefault(made["name"], {}).update(lines(KUBERNETES / folder / name))
    return content


def pod_templates():
    found = {}
    for (kind, name), one in manifests("Deployment", "CronJob").items():
        spec = one["spec"]
        found[name] = (
            spec["template"] if kind == "Deployment" else spec["jobTemplate"]["spec"]["template"]
        )
    return found


PODS = pod_templates()


def container(name):
    (only,) = PODS[name]["spec"]["containers"]
    return only


def secret_references(name):
    """Return the references to Secrets, by the variables that they set."""
    variables = container(name).get("env", ())
    refs = {one["name"]: one.get("valueFrom", {}).get("secretKeyRef") for one in variables}
    return {name: ref for name, ref in refs.items() if ref}


def environment(name):
    """Return the variables of a container; text of a Secret is `1`, 40 times."""
    variables = {}
    for source in container(name).get("envFrom", ()):
        variables |= maps()[source["configMapRef"]["name"]]
    for one in container(name).get("env", ()):
        source = one.get("valueFrom", {})
        if ref := source.get("configMapKeyRef"):
            text = maps()[ref["name"]][ref["key"]]
        elif "fieldRef" in source:
            text = "10.244.1.7"
        else:
            text = one.get("value", "1" * 40)
        variables[one["name"]] = re.sub(r"\$\((\w+)\)", lambda found: variables[found[1]], text)
    return variables


def labels(one):
    return one["metadata"]["labels"]


def is_selected(wanted, template):
    return wanted.items() <= labels(template).items()


def served_routes(tmp_path):
    app = create_app(Settings(data=tmp_path))
    return {rule.rule for rule in app.server.url_map.iter_rules()}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_kustomization_names_every_file_of_its_folder_and_no_other(folder):
    own = kustomization(folder)
    named = [*own["resources"], *(patch["path"] for patch in own.get("patches", ()))]
    named += [name for made in own["configMapGenerator"] for name in made["envs"]]
    here = {path.name for path in FILES if path.parent == KUBERNETES / folder} - {
        "kustomization.yaml"
    }
    assert sorted(name for name in named if not name.startswith("../")) == sorted(here)
    assert all(
        (KUBERNETES / folder / name / "kustomization.yaml").is_file()
        for name in named
        if name.startswith("../")
    )
    assert {path.parent for path in FILES} == {KUBERNETES / name for name in FOLDERS}


def test_every_manifest_has_a_name_of_its_own():
    number = sum(
        len(documents(path))
        for path in FILES
        if path.suffix == ".yaml" and path.name != "sizes.yaml"
    )
    assert len(manifests()) == number - len(FOLDERS)


def test_a_patch_is_of_something_that_is_there():
    for patch in kustomization("example")["patches"]:
        for one in documents(KUBERNETES / "example" / patch["path"]):
            patched = manifests()[one["kind"], one["metadata"]["name"]]
            assert patched["apiVersion"] == one["apiVersion"]
            for changed in one["spec"].get("template", {}).get("spec", {}).get("containers", ()):
                assert changed["name"] == container(one["metadata"]["name"])["name"]


@pytest.mark.parametrize(("place", "release"), [*product(manifests(), RELEASES)], ids=str)
def test_kubernetes_knows_a_manifest(place, release):
    schemas = pytest.importorskip("kubernetes_validate")
    if place[0] not in CUSTOM:
        schemas.validate(manifests()[place], release, strict=True)


@pytest.fixture(scope="module")
def built():
    """Give what kustomize makes of the example."""
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    command = ["kubectl", "kustomize", str(KUBERNETES / "example")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def test_kustomize_builds_the_example_of_everything(built):
    kinds = {(one["kind"], HASHED.sub(r"\1", one["metadata"]["name"])) for one in built}
    assert kinds == {
        *manifests(),
        ("ConfigMap", "tilescope-store"),
        ("ConfigMap", "tilescope-server"),
    }
    assert {one["metadata"].get("namespace") for one in built if one["kind"] != "Namespace"} == {
        "tilescope"
    }
    content = {
        HASHED.sub(r"\1", one["metadata"]["name"]): one["data"]
        for one in built
        if one["kind"] == "ConfigMap"
    }
    assert content == maps()


def test_a_changed_setting_restarts_what_has_it(built):
    text = yaml.safe_dump([one for one in built if one["kind"] in ("Deployment", "CronJob")])
    for kind in ("configMapRef", "configMapKeyRef"):
        names = re.findall(rf"{kind}:\n(?:\s+key: \w+\n)?\s+name: (\S+)", text)
        assert names
        assert all(HASHED.fullmatch(name) for name in names)
    assert set(re.findall(r"secretKeyRef:\n\s+key: \w+\n\s+name: (\S+)", text)) == {
        "tilescope-store",
        "tilescope-server",
    }


def test_kubernetes_knows_what_kustomize_builds(built):
    schemas = pytest.importorskip("kubernetes_validate")
    for one, release in product(built, RELEASES):
        if one["kind"] not in CUSTOM:
            schemas.validate(one, release, strict=True)


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
    settings = Settings()
    assert settings.auth == "oidc"
    assert settings.allowed_hosts == "tiles.example.org,10.244.1.7"
    assert settings.backup_plan().every_s == 86_400
    assert not settings.is_open


@pytest.mark.parametrize("name", ["server", "worker", "upgrade"])
def test_the_settings_are_those_of_compose(name):
    given, asked = environment(f"tilescope-{name}"), COMPOSE[name]["environment"]
    assert {key for key in asked if key.startswith((ENV_PREFIX, "PG"))} <= given.keys()
    assert given[f"{ENV_PREFIX}LOG_FORMAT"] == asked[f"{ENV_PREFIX}LOG_FORMAT"]


def test_probes_name_routes_and_a_host_that_is_answered(tmp_path):
    own = container("tilescope-server")
    routes = served_routes(tmp_path)
    paths = {}
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        asked = own[name]["httpGet"]
        paths[name] = asked["path"]
        assert asked["port"] == "http"
        assert asked["httpHeaders"] == [{"name": "Host", "value": "localhost"}]
    assert paths == {
        "startupProbe": "/healthz",
        "livenessProbe": "/healthz",
        "readinessProbe": "/readyz",
    }
    monitor = manifests("ServiceMonitor")["ServiceMonitor", "tilescope"]
    assert {*paths.values(), *(one["path"] for one in monitor["spec"]["endpoints"])} <= routes


@pytest.mark.parametrize("address", ["10.244.1.7", "fd00::7"])
def test_prometheus_is_answered_at_the_address_of_a_pod(tmp_path, address):
    client = create_app(
        Settings(data=tmp_path, allowed_hosts=f"tiles.example.org,{address}")
    ).server.test_client()
    host = f"[{address}]:8050" if ":" in address else f"{address}:8050"
    assert client.get("/metrics", headers={"Host": host}).status_code == 200
    assert client.get("/metrics", headers={"Host": "10.244.9.9:8050"}).status_code == 421


def test_ports_agree():
    assert Settings().port == container("tilescope-server")["ports"][0]["containerPort"]
    for service in manifests("Service").values():
        (port,) = service["spec"]["ports"]
        (pod,) = [one for one in PODS.values() if is_selected(service["spec"]["selector"], one)]
        assert port["targetPort"] in {one["name"] for one in pod["spec"]["containers"][0]["ports"]}
    scheduler = urlsplit(maps()["tilescope-store"][f"{ENV_PREFIX}DASK_SCHEDULER"])
    service = manifests("Service")["Service", scheduler.hostname]
    assert service["spec"]["ports"][0]["port"] == scheduler.port
    assert str(scheduler.port) in container("tilescope-scheduler")["args"]
    assert scheduler.geturl() in container("tilescope-worker")["args"]


def test_the_ingress_and_the_monitor_lead_to_the_service():
    service = manifests("Service")["Service", "tilescope"]
    ports = {port["name"] for port in service["spec"]["ports"]}
    ingress = manifests("Ingress")["Ingress", "tilescope"]["spec"]
    (rule,) = ingress["rules"]
    (path,) = rule["http"]["paths"]
    assert path["backend"]["service"]["name"] == "tilescope"
    assert path["backend"]["service"]["port"]["name"] in ports
    assert rule["host"] in ingress["tls"][0]["hosts"]
    assert f"https://{rule['host']}" == environment("tilescope-server")[f"{ENV_PREFIX}PUBLIC_URL"]
    monitor = manifests("ServiceMonitor")["ServiceMonitor", "tilescope"]["spec"]
    assert {one["port"] for one in monitor["endpoints"]} <= ports
    assert [
        key
        for key, one in manifests("Service").items()
        if is_selected(monitor["selector"]["matchLabels"], one)
    ] == [("Service", "tilescope")]


def test_labels_match_selectors():
    for (_, name), one in manifests("Deployment").items():
        wanted = one["spec"]["selector"]["matchLabels"]
        assert wanted == labels(one) == labels(one["spec"]["template"])
        assert [other for other, pod in PODS.items() if is_selected(wanted, pod)] == [name]
    budget = manifests("PodDisruptionBudget")["PodDisruptionBudget", "tilescope-server"]
    assert is_selected(budget["spec"]["selector"]["matchLabels"], PODS["tilescope-server"])
    (apart,) = PODS["tilescope-server"]["spec"]["affinity"]["podAntiAffinity"][
        "preferredDuringSchedulingIgnoredDuringExecution"
    ]
    assert is_selected(
        apart["podAffinityTerm"]["labelSelector"]["matchLabels"], PODS["tilescope-server"]
    )


def test_only_our_own_pods_reach_scheduler_and_workers():
    (policy,) = manifests("NetworkPolicy").values()
    assert policy["spec"]["policyTypes"] == ["Ingress"]
    ((source,),) = [rule["from"] for rule in policy["spec"]["ingress"]]
    assert chosen(policy["spec"]["podSelector"]) == {"tilescope-scheduler", "tilescope-worker"}
    assert chosen(source["podSelector"]) == {
        "tilescope-server",
        "tilescope-scheduler",
        "tilescope-worker",
    }
    assert source.keys() == {"podSelector"}


def chosen(selector):
    """Return the names of the pods that expressions choose."""
    rules = selector["matchExpressions"]
    assert {rule["operator"] for rule in rules} == {"In"}
    return {
        name
        for name, pod in PODS.items()
        if all(labels(pod)[rule["key"]] in rule["values"] for rule in rules)
    }


def test_a_server_is_given_time_to_stop():
    spec = PODS["tilescope-server"]["spec"]
    pause = int(container("tilescope-server")["lifecycle"]["preStop"]["exec"]["command"][1])
    grace = spec["terminationGracePeriodSeconds"]
    assert pause + GracefulTimeout.default < grace
    assert COMPOSE["server"]["stop_grace_period"] == f"{grace}s"


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
