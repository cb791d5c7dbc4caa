"""Models of the API's request and response bodies."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, StringConstraints, model_validator

from app.server.api.operation import Body, QueryString
from app.server.routes.received import MAX_FILES
from schema.headlines import RunHeadline
from services.store.annotate import MAX_NOTES_CHARACTERS, MAX_TAG_CHARACTERS, MAX_TAGS
from storage.run_query import COLUMNS

Tag = Annotated[
    str, StringConstraints(min_length=1, max_length=MAX_TAG_CHARACTERS, pattern=r"^[^\s,]+$")
]

Key = Literal["source", "hwid", "M", "K", "N"]
_BY = "Columns that form the key."
_OF_ALL = "Keep this number of runs in total; `by` must be empty."


class RunsQuery(QueryString):
    """Filters of the list of runs; a parameter that is given several times matches any of its
    values.
    """

    source: list[str] = Field(default_factory=list)
    hwid: list[str] = Field(default_factory=list)
    M: list[str] = Field(default_factory=list)
    K: list[str] = Field(default_factory=list)
    N: list[str] = Field(default_factory=list)
    tag: list[str] = Field(default_factory=list)
    m: list[str] = Field(default_factory=list)
    k: list[str] = Field(default_factory=list)
    n: list[str] = Field(default_factory=list)
    grid: list[str] = Field(default_factory=list, description="Such as 4x4, rows first.")
    rows: str = ""
    cols: str = ""
    mac_dtype: list[str] = Field(default_factory=list)
    branch: list[str] = Field(default_factory=list)
    commit: str = Field("", description="Its beginning.")
    since: str = Field("", description="An age such as 7d, or a time; inclusive.")
    until: str = Field("", description="An age such as 7d, or a time; inclusive.")
    q: str = Field(
        "",
        description="Words that must all occur in tile, grid, commit, branch, file, tag, hwid, name.",
    )
    limit: int = Field(50, ge=1, le=200)
    cursor: str = Field("", description="`next` of the previous response.")


class FrameQuery(QueryString):
    """Format of a frame."""

    format: Literal["json", "csv", "parquet", "arrow"] = "json"
    method: Literal["robust", "reference"] = "robust"


class UploadQuery(QueryString):
    """Name of the file in the request's body; every other parameter is a setting of its runs."""

    name: str = ""


class Added(Body):
    """Changes to the tags, notes and pin of a run; members that are left out stay unchanged."""

    notes: str | None = Field(None, max_length=MAX_NOTES_CHARACTERS, description="Markdown.")
    tags: list[Tag] | None = Field(
        None,
        max_length=MAX_TAGS,
        description=f"At most {MAX_TAGS}, each a word: no spaces, no commas.",
    )
    pinned: bool | None = None


class NewUpload(Body):
    """A file that will be sent in parts."""

    name: str = Field(min_length=1, max_length=1_000)
    size: int = Field(ge=0)
    sha256: str | None = Field(None, pattern=r"^[0-9a-fA-F]{64}$")
    settings: dict[str, str] = Field(default_factory=dict)


class FinishedUploads(Body):
    """Uploads whose files belong together, like the files of one form."""

    uploads: list[str] = Field(
        min_length=1, max_length=MAX_FILES, description="Ids of completely received uploads."
    )
    settings: dict[str, str] = Field(
        default_factory=dict, description="Overrides the settings that the uploads started with."
    )
    keep: bool = Field(
        False,
        description=(
            "Keep the uploads until they are deleted or a day has passed, so that "
            "the request can be repeated if its response is lost."
        ),
    )


class NewJob(Body):
    """A job on many runs or files.

    `derive` recomputes the numbers of runs from the stored frames, `retention` deletes old runs,
    `orphans` finds files that belong to no run, `pack` writes the frames of each run of an older
    release to one file, `compact` writes the narrow frames of a source and month to one file.
    """

    kind: Literal["derive", "retention", "orphans", "pack", "compact"]
    runs: list[str] | None = Field(
        None, description="Only for `derive`: run ids; default: all runs.", max_length=100_000
    )
    keep_last: int | None = Field(
        None, ge=1, le=1_000_000, description="Only for `retention`: see there."
    )
    by: list[Key] | None = Field(None, max_length=len(COLUMNS), description="Of `retention`.")
    of_all: bool = Field(False, description="Of `retention`.")
    remove: bool = Field(False, description="Only for `orphans`: remove the files.")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.kind == "retention" and (self.keep_last is None or self.by is None):
            raise ValueError("a job of retention needs keep_last and by")
        if self.kind == "retention":
            _check_key(self.by or [], of_all=self.of_all, deletes=True)
        return self

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of a job of this kind."""
        if self.kind == "derive":
            return {"runs": self.runs}
        if self.kind == "orphans":
            return {"remove": self.remove}
        if self.kind in ("pack", "compact"):
            return {}
        return {"keep_last": self.keep_last, "by": self.by}


def _check_key(by: list[Key], *, of_all: bool, deletes: bool) -> None:
    """Raise ValueError if `by` is empty and `of_all` is not set.

    A client that leaves `by` empty probably means each key, but would keep so many of all runs.
    """
    if by and of_all:
        raise ValueError("give by or of_all, not both")
    if deletes and not by and not of_all:
        raise ValueError(
            "give the columns of the key in by, or of_all to keep keep_last runs in total"
        )


class Retention(Body):
    """Delete all but the newest runs of each key; pinned runs stay and do not count."""

    keep_last: int = Field(ge=1, le=1_000_000)
    by: list[Key] = Field(max_length=len(COLUMNS), description=_BY)
    of_all: bool = Field(False, description=_OF_ALL)
    dry_run: bool = True

    @model_validator(mode="after")
    def _has_key(self) -> Self:
        _check_key(self.by, of_all=self.of_all, deletes=not self.dry_run)
        return self


class Run(BaseModel):
    """A run: the columns of frame `run`, its metrics, counts of findings, and the tags, notes and
    pin that users set. `impossible` has the names of the metrics that no hardware reaches, such as
    rates above the peak of the cores; they count in no comparison.
    """

    run_id: str
    headline: RunHeadline | None
    impossible: list[str]
    tags: list[str]
    notes: str
    pinned: bool


class Runs(BaseModel):
    """A page of runs, newest first."""

    runs: list[Run]
    next: str | None


class IngestedRuns(BaseModel):
    """Results of an ingest: the runs, and the skipped files with the reasons."""

    runs: list[dict[str, Any]]
    skipped: list[dict[str, Any]]


class Frames(BaseModel):
    """Names of a run's frames with their numbers of rows."""

    frames: dict[str, int]


class Upload(BaseModel):
    """An upload that is not finished."""

    id: str
    offset: int
    size: int


class Job(BaseModel):
    """A job on many runs or files."""

    id: str
    kind: str
    arguments: dict[str, Any]
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    done: int
    failed: int
    total: int
    created_at: str
    created_by: str
    started_at: str | None
    ended_at: str | None
    message: str


class Jobs(BaseModel):
    """Jobs, newest first."""

    jobs: list[Job]


class Deleted(BaseModel):
    """Ids of the runs that were deleted, or would be in a dry run.

    A dry run also has the bytes of their files, the number of older runs that stay for each
    baseline and rule, and the number of pinned runs.
    """

    deleted: list[str]
    bytes: int | None = None
    held: dict[str, int] | None = None
    pinned: int | None = None
