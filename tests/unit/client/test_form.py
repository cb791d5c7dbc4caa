"""Files as the body of a request, read by the parser of the server's own framework."""

from io import BytesIO

import pytest
from tilescope_client.form import Form
from werkzeug.formparser import parse_form_data


def received(sent):
    """Return name and content of the files that a server finds in a body."""
    form = Form(sent)
    body = b"".join(form.pieces())
    assert len(body) == form.size
    environ = {
        "wsgi.input": BytesIO(body),
        "CONTENT_TYPE": form.content_type,
        "CONTENT_LENGTH": str(form.size),
    }
    _, _, found = parse_form_data(environ | {"REQUEST_METHOD": "POST"})
    files = found.getlist("file")
    read = [(one.filename, one.read()) for one in files]
    for one in files:
        one.close()
    return read


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b'\r\n--x"')
    return path


def test_files_arrive_as_they_are(path, tmp_path):
    (tmp_path / "empty").touch()
    assert received({"folder/a": path, "b": tmp_path / "empty"}) == [
        ("folder/a", b'\r\n--x"'),
        ("b", b""),
    ]


@pytest.mark.parametrize("name", ['a"; x="b', "a\\b", "a\r\nX-Header: b", 'é"', '"'])
def test_no_name_ends_its_header(path, name):
    ((found, content),) = received({name: path})
    assert (len(found), content) == (len(name), b'\r\n--x"')
    assert not {*found} & {*'"\\\r\n'}
