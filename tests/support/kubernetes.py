"""The manifests for Kubernetes as kustomize puts them together."""

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
