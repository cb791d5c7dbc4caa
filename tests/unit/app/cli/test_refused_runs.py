"""Commands about one run: without a run, or for a run that lacks their data, they print one line."""

import pytest

from tests.support.command_line import run


@pytest.mark.parametrize("args", [(), ("--json",)])
@pytest.mark.parametrize("name", ["problem", "deeploy"])
@pytest.mark.parametrize("command", ["compile-time", "steps"])
def test_a_run_that_lacks_the_data_is_one_line(pairs, command, name, args):
    result = run(command, pairs.run(name)[:12], *args, "--data", pairs.place)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)


@pytest.mark.parametrize("args", [(), ("ffffffff",)])
@pytest.mark.parametrize("command", ["compile-time", "steps", "plan"])
def test_without_a_run_it_is_one_line(pairs, command, args):
    result = run(command, *args, "--data", pairs.place)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
