"""Roles that routes require."""

import pytest

from app.server.access.roles import RouteRoles
from schema.roles import Role

ROLES = RouteRoles(
    {
        ("GET", "/api/v1/mine"): Role.EDITOR,
        ("GET", "/api/v1/secret"): Role.ADMIN,
        ("POST", "/api/v1/read"): Role.VIEWER,
    },
    {"/admin": Role.ADMIN},
)


@pytest.mark.parametrize(
    ("method", "rule", "role"),
    [
        ("GET", "/api/v1/mine", Role.EDITOR),
        # HEAD runs the handler of GET.
        ("HEAD", "/api/v1/mine", Role.EDITOR),
        ("POST", "/api/v1/read", Role.VIEWER),
        # All operations of the route are for administrators, so any other method is too.
        ("OPTIONS", "/api/v1/secret", Role.ADMIN),
        ("GET", "/admin/part", Role.ADMIN),
        ("GET", "/administration", Role.VIEWER),
        ("GET", "/run/x", Role.VIEWER),
        ("DELETE", "/run/x", Role.EDITOR),
        ("POST", "/_dash-update-component", Role.VIEWER),
        ("POST", "/auth/logout", Role.NOBODY),
    ],
)
def test_a_route_requires_the_role_of_its_operation_page_or_method(method, rule, role):
    assert ROLES.required_role(method, rule, rule) is role


def test_the_higher_role_of_route_and_path_counts():
    assert ROLES.required_role("GET", "/<path:any>", "/admin/part") is Role.ADMIN
    assert ROLES.required_role("GET", "/admin", "/") is Role.ADMIN
