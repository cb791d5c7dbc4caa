"""A client that drives a Dash application through its HTTP interface, without a browser."""

import json

from dash import Dash

_MATCH, _MATCHED = '["MATCH"]', '"one"'
"""Part of an id that matches any text, and a text that it matches."""


class DashClient:
    def __init__(self, app: Dash) -> None:
        self.app = app
        self.http = app.server.test_client()
        self._dependencies = None

    @property
    def context(self):
        """The application's context."""
        return self.app.server.extensions["tilescope"]

    @property
    def repository(self):
        """The application's store."""
        return self.context.repository

    def get(self, path, **options):
        """Request a path and return the response, completely read, so that no file stays open."""
        with self.http.get(path, **options) as answer:
            answer.get_data()
            return answer

    def open(self, path, search=""):
        """Lay out the page at a path and return its JSON text."""
        answer = self.callback(
            "_pages_content.children",
            **{"_pages_location.pathname": path, "_pages_location.search": search},
        )
        return json.dumps(answer["_pages_content"]["children"], ensure_ascii=False)

    def callback(self, output, outputs=None, **values):
        """Run the callback with this output and return its result, output id -> properties;
        `values` are its inputs and states by `id.property`.
        """
        answer = self.post(output, outputs, **values)
        assert answer.status_code == 200, answer.text
        return answer.json["response"]

    def drawn(self, run_id, query="", theme="light", shown=None):
        """Draw a run's page and return the changed properties by component; `shown` is the state
        that the page shows already (None: it is empty).
        """
        values = {
            "run-view.data": query,
            "theme.data": theme,
            "run-id.data": run_id,
            "run-shown.data": shown,
        }
        answer = self.callback("run-changes.data", **values)
        return answer.get("run-changes", {}).get("data", {}).get("changes", {})

    def post(self, output, outputs=None, changed=None, **values):
        """Run a callback as if input `changed`, by default its first input, had changed; return the
        response.
        """
        return self.http.post(
            "/_dash-update-component", json=self.body(output, outputs, changed, **values)
        )

    def body(self, output, outputs=None, changed=None, **values):
        """Build the JSON body of a browser's request for the callback with this output."""
        spec = self._dependency(output)
        return {
            "output": spec["output"],
            "outputs": outputs or _outputs(spec["output"].replace(_MATCH, _MATCHED)),
            "inputs": [_value(part, values) for part in spec["inputs"]],
            "state": [_value(part, values) for part in spec["state"]],
            "changedPropIds": [changed or _key(spec["inputs"][0])],
        }

    def _dependency(self, output):
        if self._dependencies is None:
            self._dependencies = self.http.get("/_dash-dependencies").json
        return next(
            d
            for d in self._dependencies
            if output in d["output"] and d["clientside_function"] is None
        )


def _key(part):
    return f"{part['id']}.{part['property']}"


def _value(part, values):
    """Build an input or state of a request from `values` (`id.property` -> value).

    For a pattern of ids it is a list: `values` then maps the type of the ids, or "facets", to a
    dict from the part that differs to the value.
    """
    if _MATCH in part["id"]:
        own = json.loads(part["id"].replace(_MATCH, _MATCHED))
        return {"id": own, "property": part["property"], "value": None}
    if part["id"].startswith("{"):
        group = json.loads(part["id"])
        differs = next(name for name, value in group.items() if value == ["ALL"])
        given = values.get(group["type"], values.get("facets", {}))
        ids = {name: group | {differs: name} for name in given}
        return [
            {
                "id": ids[name],
                "property": part["property"],
                "value": ids[name] if part["property"] == "id" else value,
            }
            for name, value in given.items()
        ]
    return {"id": part["id"], "property": part["property"], "value": values.get(_key(part))}


def _outputs(text):
    if not text.startswith(".."):
        return _output(text)
    return [_output(part) for part in text.strip(".").split("...")]


def _output(text):
    name, _, prop = text.rpartition(".")
    part = {
        "id": json.loads(name) if name.startswith("{") else name,
        "property": prop.split("@")[0],
    }
    # of what a pattern finds a browser sends a list, here of nothing
    return [] if isinstance(part["id"], dict) and ["ALL"] in part["id"].values() else part


def find(part, wanted):
    """Find the properties of the component with id `wanted` in the JSON of a page or of a part of
    it; None if there is no such component.
    """
    if isinstance(part, dict):
        props = part.get("props", {})
        if props.get("id") == wanted:
            return props
        part = list(props.values())
    found = (find(child, wanted) for child in part) if isinstance(part, list) else ()
    return next((one for one in found if one), None)
