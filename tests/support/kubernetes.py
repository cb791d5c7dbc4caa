"""The manifests for Kubernetes as kustomize combines them."""

import re
from pathlib import Path

import yaml

from app.config.settings import ENV_PREFIX, Settings
from app.server.factory import create_app

ROOT = Path(__file__).resolve().parents[2]
KUBERNETES = ROOT / "deploy" / "kubernetes"
FOLDERS = ("base", "example")
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
SECRETS = {
    ENV_PREFIX + name.upper() for name, info in Settings.model_fields.items() if not info.repr
} | {
    "PGPASSWORD",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
}


def documents(path):
    return list(yaml.safe_load_all(path.read_text()))


def kustomization(folder):
    return documents(KUBERNETES / folder / "kustomization.yaml")[0]


def manifests(*kinds):
    """Map (kind, name) to the resource, for the resources of these kinds (default: all) in base and
    example.
    """
    found = {}
    for folder in FOLDERS:
        for name in kustomization(folder)["resources"]:
            path = KUBERNETES / folder / name
            for one in documents(path) if path.is_file() else ():
                if not kinds or one["kind"] in kinds:
                    found[one["kind"], one["metadata"]["name"]] = one
    return found


def lines(path):
    """Read an env file as kustomize does: name -> value."""
    text = (line for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return dict(line.split("=", 1) for line in text)


def maps():
    """Map the name of each generated ConfigMap to its variables."""
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
    """Map the variables of a pod's container that come from Secrets to their `secretKeyRef`."""
    variables = container(name).get("env", ())
    refs = {one["name"]: one.get("valueFrom", {}).get("secretKeyRef") for one in variables}
    return {name: ref for name, ref in refs.items() if ref}


def environment(name):
    """Map the variables of a pod's container to their values; a value from a Secret is 40 times
    `1`.
    """
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
