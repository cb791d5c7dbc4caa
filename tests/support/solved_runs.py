"""Solved problems of several days: the height of their map is the number that decides."""

from ingest.files import ingest


def put_run(repository, folder, day, size=64, **settings):
    """Ingest a solved problem of a day of November 2026 whose last block has a size; return its id.

    By default it is run `net` on `npu`.
    """
    taken_at = f"2026-11-{day:02d}T10:00:00+00:00"
    given = {"name": "net", "hwid": "npu", "taken_at": taken_at} | settings
    block = f"{given['name']} {given['hwid']} {day}"
    path = folder / f"{block}-{size}.1024.csv"
    path.write_text(f"id,lower,upper,size,offset\n{block},0,3,100,0\nb,1,4,{size},100\n")
    return ingest(repository, [path], given).runs[0].run_id
