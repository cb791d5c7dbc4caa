"""Lists of commits: read, ordered, and commits named by a prefix."""

import subprocess

import pytest

from services.bisection.commits import (
    MAX_COMMITS,
    CommitIndex,
    order_commits,
    parse_commits,
    read_commits,
)
from services.bisection.errors import BisectionError
from services.bisection.git import read_range

NAMES = [f"{at:040x}"[::-1] for at in range(1, 40)]


def test_a_list_has_the_first_word_of_each_line():
    text = "# oldest first\n\nabc1234 a subject\n  def5678\n"
    assert parse_commits(text, "list") == ["abc1234", "def5678"]


@pytest.mark.parametrize(
    "text", ["a\x01b\n", "x" * 101, "\n".join(f"c{at}" for at in range(MAX_COMMITS + 2))]
)
def test_a_bad_list_is_rejected_with_its_place(tmp_path, text):
    (tmp_path / "list").write_text(text)
    with pytest.raises(BisectionError) as error:
        read_commits(tmp_path / "list")
    assert str(tmp_path / "list") in str(error.value)


def test_the_commits_between_are_taken_with_both_ends():
    assert order_commits(NAMES, NAMES[3], NAMES[9]) == NAMES[3:10]
    assert order_commits(NAMES[4:10], NAMES[3], NAMES[9]) == NAMES[3:10]
    assert order_commits(NAMES, NAMES[3][:9], NAMES[9][:12]) == NAMES[3:10]


@pytest.mark.parametrize(
    ("commits", "good", "bad"),
    [
        (NAMES, NAMES[9], NAMES[3]),
        (NAMES[:9][::-1], "unknown", NAMES[8]),
        (NAMES, NAMES[3], NAMES[3]),
        (NAMES, NAMES[3], "unknown"),
        ([*NAMES, NAMES[5]], NAMES[3], NAMES[9]),
    ],
)
def test_a_list_that_does_not_fit_is_rejected(commits, good, bad):
    with pytest.raises(BisectionError):
        order_commits(commits, good, bad)


def test_a_commit_is_found_by_a_prefix_of_either_side():
    index = CommitIndex(["abcdef0123", "abcdef9999", "1234567", "v1.0"])
    assert index.find("ABCDEF0123") == 0
    assert index.find("abcdef01234567") == 0
    assert index.find("abcdef0") == 0
    assert index.find("abcdef") is None, "a prefix has at least 7 characters"
    assert index.find("12345678") == 2
    assert index.find("v1.0") == 3
    assert index.find("v1") is None
    assert index.find_all(["v1.0", "abcdef0"]) == [0, 3]
    with pytest.raises(BisectionError):
        index.find_all(["v1.0", "nothing"])


def test_a_prefix_of_several_commits_is_no_commit():
    assert CommitIndex(["abcdefg1", "abcdefg2"]).find("abcdefg") is None


@pytest.fixture
def repo(tmp_path):
    def git(*args):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(tmp_path), *identity, *args]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q", "-b", "main")
    for number in range(3):
        git("commit", "-q", "--allow-empty", "-m", f"c{number}")
    git("checkout", "-q", "-b", "side")
    git("commit", "-q", "--allow-empty", "-m", "side")
    git("checkout", "-q", "main")
    git("commit", "-q", "--allow-empty", "-m", "c3")
    git("merge", "-q", "--no-ff", "side", "-m", "merge")
    git("commit", "-q", "--allow-empty", "-m", "last")
    return git


def test_git_lists_the_commits_of_a_branch_with_merges_as_one(repo, tmp_path):
    own = repo("rev-list", "--first-parent", "--reverse", "main").split()
    assert len(own) == 6
    assert read_range(tmp_path, "HEAD~3", "main") == own[-4:]
    assert read_range(tmp_path, own[0][:8], "HEAD") == own


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("HEAD", "HEAD~1"),
        ("HEAD", "main"),
        ("side", "main"),
        ("nothing", "main"),
        ("--output=stolen", "main"),
        ("-h", "main"),
        ("HEAD~1", "--all"),
        ("HEAD~2..HEAD", "main"),
        ("", "main"),
    ],
)
def test_git_ranges_that_do_not_exist_are_rejected(repo, tmp_path, good, bad):
    with pytest.raises(BisectionError):
        read_range(tmp_path, good, bad)
    assert not (tmp_path / "stolen").exists()


def test_a_folder_without_git_is_rejected(tmp_path):
    with pytest.raises(BisectionError):
        read_range(tmp_path, "HEAD~1", "HEAD")
