"""The documentation site as the server has it: files of one folder, and a sentence where it is not built."""

import pytest
from flask import Flask

from app.request.errors import RequestError
from app.server.routes import documentation


@pytest.fixture
def folder(tmp_path):
    site = tmp_path / "docs"
    (site / "tutorials").mkdir(parents=True)
    (site / "index.html").write_text("<h1>start</h1>")
    (site / "tutorials" / "array.html").write_text("<h1>array</h1>")
    (tmp_path / "secret.txt").write_text("secret")
    return site


def client(folder):
    server = Flask(__name__)
    documentation.register(server, folder)
    server.register_error_handler(RequestError, lambda error: (str(error), error.status))
    return server.test_client()


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/docs/", 200, "start"),
        ("/docs/tutorials/array.html", 200, "array"),
        ("/docs/none.html", 404, "page"),
        ("/docs/../secret.txt", 404, "page"),
        ("/docs/%2e%2e/secret.txt", 404, "page"),
        ("/docs/tutorials", 404, "page"),
    ],
)
def test_only_files_of_the_site_are_given(folder, path, status, said):
    answer = client(folder).get(path)
    text = answer.get_data(as_text=True)
    answer.close()
    assert answer.status_code == status
    assert said in text
    assert "secret" not in text


def test_an_address_without_a_slash_leads_to_the_start(folder):
    assert client(folder).get("/docs").location == "/docs/"


def test_where_it_is_not_built_a_sentence_says_how(tmp_path):
    answer = client(tmp_path / "none").get("/docs/")
    assert answer.status_code == 404 and "make docs" in answer.text
