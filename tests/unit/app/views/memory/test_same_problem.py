"""A MiniMalloc problem and its solution lead to each other."""

from urllib.parse import parse_qs, urlsplit

from app.pages.runs.state import parse
from app.views.registry import RUN
from app.views.state import RunState
from ingest.files import ingest
from services.run.data_cache import RunDataCache
from storage.run_list import RunList
from tests.support.components import every

PROBLEM = "id,lower,upper,size\na,0,2,64\nb,1,3,32\n"
SOLUTION = "id,lower,upper,size,offset\na,0,2,64,0\nb,1,3,32,64\n"
OTHER = "id,lower,upper,size\na,0,2,64\nb,1,3,48\n"


def test_the_link_lists_both_and_no_other(settings, tmp_path):
    repository = settings.repository()
    for name, text in {
        "p.128.csv": PROBLEM,
        "p.128.solved.csv": SOLUTION,
        "q.128.csv": OTHER,
    }.items():
        (tmp_path / name).write_text(text)
    runs = [
        ingest(repository, [tmp_path / name], {}).runs[0].run_id
        for name in ("p.128.csv", "p.128.solved.csv")
    ]
    ingest(repository, [tmp_path / "q.128.csv"], {})
    for run in runs:
        data = RunDataCache(repository).get(run, "robust", {})
        made = RUN.find_content_view(data, "packing").make(data, RunState())
        (link,) = every(made.body, "A")
        query = urlsplit(link.href).query
        assert parse_qs(query)["q"][0].startswith("problem-")
        listed = RunList(repository.catalogue).page(parse(query).first_page).runs
        assert {run.run_id for run in listed} == set(runs)
