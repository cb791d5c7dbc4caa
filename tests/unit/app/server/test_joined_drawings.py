"""Two drawings of a page become one; a page of two versions of a run is drawn again."""

import json

import pytest

from app.server.cached_response import CachedResponse, pack_body, read_body
from app.server.joined_drawings import join_drawings

SHOWN = {"theme": "light", "reads": {}, "keys": {}, "other_runs": {}}


def make_drawing(name, version="1"):
    shown = SHOWN | {"version": version, "reads": {name: {}}}
    data = {"changes": {name: {"children": version}}, "shown": shown}
    body = {"multi": True, "response": {"run-changes": {"data": data}}}
    return CachedResponse(pack_body(json.dumps(body).encode()), 200)


@pytest.mark.parametrize(("versions", "joined_version"), [("11", "1"), ("21", ""), ("12", "")])
def test_a_page_of_two_versions_is_drawn_again_and_not_cached(versions, joined_version):
    own, others = map(make_drawing, ("stalls", "sizes"), versions)
    joined = join_drawings("run-changes", None, own, others)
    data = json.loads(read_body(joined))["response"]["run-changes"]["data"]
    assert data["changes"].keys() == data["shown"]["reads"].keys() == {"stalls", "sizes"}
    assert data["shown"]["version"] == joined_version
    assert joined.is_cacheable == bool(joined_version)


def test_a_response_that_is_no_drawing_is_returned():
    refused = CachedResponse(pack_body(b'{"response": {}}'), 429, is_cacheable=False)
    assert join_drawings("run-changes", None, make_drawing("stalls"), refused) is refused
