"""The id of the installation: created once, and the same for all processes."""

from concurrent.futures import ThreadPoolExecutor

from storage.catalogue import Catalogue
from storage.installation import find_installation_id, installation_id


def test_processes_that_create_it_at_the_same_time_agree(tmp_path):
    catalogues = [Catalogue(f"sqlite:///{tmp_path / 'catalogue.db'}") for _ in range(4)]
    catalogues[0].create()
    assert find_installation_id(catalogues[0]) == ""
    with ThreadPoolExecutor(len(catalogues)) as threads:
        found = {*threads.map(installation_id, catalogues)}
    assert found == {find_installation_id(catalogues[0])}
    assert all(len(text) == 12 for text in found)
    other = Catalogue(f"sqlite:///{tmp_path / 'other.db'}")
    assert installation_id(other) not in found
    for catalogue in (*catalogues, other):
        catalogue.close()


def test_reading_creates_no_catalogue(tmp_path):
    catalogue = Catalogue(f"sqlite:///{tmp_path / 'none.db'}")
    assert find_installation_id(catalogue) == ""
    assert not [*tmp_path.iterdir()]
