"""The manifests for Kubernetes: read as kustomize puts them together, and compared with what the server is."""

import re
import shutil
import subprocess
from itertools import product
from urllib.parse import urlsplit

import pytest
import yaml

from app.config.settings import ENV_PREFIX, Settings
from app.server.factory import create_app
from tests.support.kubernetes import (
    FOLDERS,
    KUBERNETES,
    PODS,
    container,
    documents,
    environment,
    is_selected,
    kustomization,
    labels,
    manifests,
    maps,
    served_routes,
)

FILES = sorted(
    path for folder in FOLDERS for path in (KUBERNETES / folder).rglob("*") if path.is_file()
)
RELEASES = ("1.29", "1.37")
"""Of Kubernetes: an old one, and the newest that is known."""
CUSTOM = {"Kustomization", "ServiceMonitor"}
"""Kinds that are none of Kubernetes itself."""
HASHED = re.compile(r"(tilescope-(?:store|server))-[a-z0-9]{10}")


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


@pytest.mark.slow
def test_every_manifest_has_a_name_of_its_own():
    number = sum(
        len(documents(path))
        for path in FILES
        if path.suffix == ".yaml" and path.name != "sizes.yaml"
    )
    assert len(manifests()) == number - len(FOLDERS)


@pytest.mark.slow
def test_a_patch_is_of_something_that_is_there():
    for patch in kustomization("example")["patches"]:
        for one in documents(KUBERNETES / "example" / patch["path"]):
            patched = manifests()[one["kind"], one["metadata"]["name"]]
            assert patched["apiVersion"] == one["apiVersion"]
            for changed in one["spec"].get("template", {}).get("spec", {}).get("containers", ()):
                assert changed["name"] == container(one["metadata"]["name"])["name"]


@pytest.mark.quick_every(2)
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


@pytest.mark.slow
def test_kubernetes_knows_what_kustomize_builds(built):
    schemas = pytest.importorskip("kubernetes_validate")
    for one, release in product(built, RELEASES):
        if one["kind"] not in CUSTOM:
            schemas.validate(one, release, strict=True)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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
