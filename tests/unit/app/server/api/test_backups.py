"""How backups are, for admins."""

import pytest

from app.config.settings import Settings
from app.server.factory import create_app
from services.store.backups import backup_state, begin_backup, fail
from services.store.scheduled_backup import make_backup
from tests.support.dash_client import DashClient


@pytest.fixture
def known(settings: Settings, tmp_path):
    (tmp_path / "kept").mkdir()
    return settings.model_copy(update={"backup_to": str(tmp_path / "kept")})


@pytest.mark.slow
def test_it_is_what_the_catalogue_knows(known):
    repository, plan = known.repository(), known.backup_plan()
    repository.catalogue.create()
    made = make_backup(repository, plan, begin_backup(repository.catalogue, "me"), "me")
    fail(repository.catalogue, begin_backup(repository.catalogue, "me"), "the disk is full", "me")
    told = DashClient(create_app(known)).get("/api/v1/backups").json
    state = backup_state(repository.catalogue, plan).record()
    assert told | {"age_s": 0} == state | {"age_s": 0}
    assert (told["last_name"], told["size"], told["last_error"]) == (
        made.name,
        made.size,
        "the disk is full",
    )
    repository.catalogue.close()


def test_a_server_that_makes_none_says_so(dashboard):
    told = dashboard.get("/api/v1/backups").json
    assert (told["to"], told["last_at"], told["next_at"]) == ("", None, None)
