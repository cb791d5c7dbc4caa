"""Badges of keys while comparisons are missing."""

from types import SimpleNamespace

import pytest

from analysis.comparison.status_row import Status
from app.pages.status.badges import draw_badge
from app.request.errors import RequestError


@pytest.mark.parametrize(("missing", "code"), [(3, 503), (0, 404)])
def test_a_key_that_is_not_read_yet_is_not_called_unknown(missing, code):
    status = Status("nightly", "", [], missing)
    context = SimpleNamespace(status=SimpleNamespace(status=lambda rule, within_s: status))
    with pytest.raises(RequestError) as refused:
        draw_badge(context, "nightly", "0" * 32)
    assert refused.value.status == code
