"""Inputs that Hypothesis draws: the same ones every time in `make test`, others every time in `make fuzz`."""

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

SAME = "tilescope"
FUZZ = "fuzz"
_COLLECT_CONSTANTS = providers._get_local_constants
# A machine under load is slow, not wrong: nothing depends on how long a draw or a test takes.
_UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}


def register_profiles():
    """Register both profiles and load the one without chance.

    Every setting that counts is named: a new profile takes the others from the current one, which is another where the
    environment says that this is CI.
    """
    settings.register_profile(
        SAME, derandomize=True, database=None, max_examples=10, print_blob=False, **_UNTIMED
    )
    settings.register_profile(
        FUZZ, derandomize=False, max_examples=2000, print_blob=True, **_UNTIMED
    )
    settings.load_profile(SAME)
    providers._get_local_constants = _constants_of_modules


def _constants_of_modules():
    """Return the constants of the project's modules in `make fuzz`, none in `make test`.

    Hypothesis draws one number in twenty from the constants in the sources of the modules that are imported by then.
    These depend on the tests that the same process ran before, on the folder of the clone, and on every commit.
    """
    return Constants() if settings.default.derandomize else _COLLECT_CONSTANTS()
