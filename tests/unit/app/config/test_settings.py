from dataclasses import asdict

import pytest

from app.config.settings import ENV_PREFIX, ConfigurationError, Settings, load_settings, markdown
from data_loaders.reading.limits import Limits

pytestmark = pytest.mark.usefixtures("elsewhere")


def test_the_store_is_embedded_unless_it_is_named(tmp_path, monkeypatch):
    settings = load_settings()
    assert settings.data == tmp_path / "data"
    assert settings.database_url == f"sqlite:///{tmp_path}/data/catalogue.db"
    assert settings.frames_url == f"{tmp_path}/data/frames"
    elsewhere = load_settings(data=tmp_path / "d")
    assert (elsewhere.database_url, elsewhere.frames_url) == (
        f"sqlite:///{tmp_path}/d/catalogue.db",
        f"{tmp_path}/d/frames",
    )
    monkeypatch.setenv("TILESCOPE_DATABASE_URL", "postgresql+psycopg://team@db/tilescope")
    assert load_settings(data="d").database_url == "postgresql+psycopg://team@db/tilescope"
    assert load_settings(data="d").frames_url == f"{tmp_path}/d/frames"


def test_arguments_go_over_the_environment_over_the_file_over_defaults(tmp_path, monkeypatch):
    assert load_settings().port == 8050
    (tmp_path / "tilescope.toml").write_text('port = 1\nthreads = 2\ndata = "from-file"\n')
    assert (load_settings().port, load_settings().threads) == (1, 2)
    assert load_settings().data == tmp_path / "from-file"
    monkeypatch.setenv("TILESCOPE_PORT", "3")
    assert load_settings().port == 3
    assert load_settings(port=4, host=None).port == 4


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('port = "x"', ("setting port: ", "'x'")),
        ("port = 0", ("setting port: ", "'0'")),
        ("colour = 1", ("setting colour: ",)),
        ("port = = 1", ("tilescope.toml", "line 1")),
    ],
)
def test_a_wrong_value_is_one_sentence(tmp_path, text, place):
    (tmp_path / "tilescope.toml").write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert all(part in str(caught.value) for part in place)
    assert "\n" not in str(caught.value)


def test_defaults_of_loaders_are_those_that_are_set():
    assert load_settings().loader_defaults() == {}
    assert load_settings(clock_hz=1.8e9, mac_dtype="bf16").loader_defaults() == {
        "clock_hz": "1800000000.0",
        "mac_dtype": "bf16",
    }


def test_limits_of_the_reading_process_are_settings():
    assert load_settings().reader_limits() == Limits()
    asked = Limits(memory_mb=100, processor_s=1, processor_s_per_mb=2, clock_s=3, clock_s_per_mb=4)
    assert (
        load_settings(
            **{f"reader_{name}": value for name, value in asdict(asked).items()}
        ).reader_limits()
        == asked
    )


@pytest.mark.parametrize("value", ["inf", "nan", "0", "-1", "1e9", "many"])
def test_there_is_always_an_end_to_reading(value, monkeypatch):
    monkeypatch.setenv("TILESCOPE_READER_CLOCK_S", value)
    with pytest.raises(ConfigurationError, match="setting reader_clock_s: "):
        load_settings()


def test_every_setting_is_described_and_in_the_table():
    assert all(
        info.description and info.description.endswith(".")
        for info in Settings.model_fields.values()
    )
    table = markdown()
    assert all(
        f"| `{name}` | `{ENV_PREFIX}{name.upper()}` |" in table for name in Settings.model_fields
    )


def test_opening_the_storage_creates_nothing(tmp_path):
    repository = load_settings(cache_mb=1).repository()
    assert repository.runs().empty
    assert list(tmp_path.iterdir()) == []


def test_a_setting_of_an_earlier_release_is_said(monkeypatch):
    monkeypatch.setenv("TILESCOPE_TRUSTED_PROXY", "10.0.0.1")
    names = r"\bTILESCOPE_TRUSTED_PROXY\b.*\bTILESCOPE_TRUSTED_PROXIES\b"
    with pytest.raises(ConfigurationError, match=names):
        load_settings()


class TestBackups:
    @pytest.mark.parametrize(
        ("every", "seconds"),
        [("1m", 60), ("24h", 86_400), ("1d", 86_400), ("2 w", 14 * 86_400), ("", 0)],
    )
    def test_times_have_units(self, every, seconds):
        assert load_settings(backup_to="b", backup_every=every).backup_plan().every_s == seconds

    @pytest.mark.parametrize(
        "every", ["0m", "1", "1s", "-1d", "x", "1.5d", "400d", "9" * 5_000 + "d", "1d 1h"]
    )
    def test_what_is_no_time_is_one_sentence(self, every):
        with pytest.raises(ConfigurationError, match=r"^setting backup_every: [^\n]*$"):
            load_settings(backup_every=every)

    def test_a_folder_is_that_of_the_working_directory(self, tmp_path):
        assert load_settings(backup_to="b").backup_plan().to == str(tmp_path / "b")
        assert load_settings(backup_to="s3://bucket/a/").backup_plan().to == "s3://bucket/a"

    @pytest.mark.parametrize(
        "place", ["s3://", "s3:///a", "ftp://host/a", "file:///a", "http://host/a"]
    )
    def test_what_is_no_place_is_one_sentence(self, place):
        with pytest.raises(ConfigurationError, match=r"^setting backup_to: [^\n]*$"):
            load_settings(backup_to=place)

    def test_none_are_made_without_a_place(self):
        plan = load_settings().backup_plan()
        assert (plan.to, plan.every_s) == ("", 0)

    def test_at_least_one_is_kept(self):
        with pytest.raises(ConfigurationError, match="setting backup_keep: "):
            load_settings(backup_keep=0)


@pytest.mark.parametrize(
    "given",
    [
        {"github_token": "hush\nX-Other: 1"},
        {"gitlab_token": "hush hush"},
        {"github_token": "hush\u00e9"},
        {"github_api": "ftp://hush.example.org"},
        {"github_api": "https://me:hush@example.org"},
        {"gitlab_api": "https://example.org/?token=hush"},
        {"gitlab_api": "hush"},
    ],
    ids=["break", "space", "letter", "scheme", "password", "query", "no address"],
)
def test_a_token_or_an_address_of_a_code_host_that_is_invalid_is_refused_without_its_value(given):
    [name] = given
    with pytest.raises(ConfigurationError) as caught:
        load_settings(**given)
    assert name in str(caught.value)
    assert "hush" not in str(caught.value)


def test_tokens_are_in_no_repr():
    settings = load_settings(github_token="hush", gitlab_token="hush")  # noqa: S106
    assert "hush" not in repr(settings) + repr(settings.alert_config())
