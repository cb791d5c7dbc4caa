"""Compiles routes once per process: hundreds of tests make an application, each with the same
hundred routes.

Werkzeug writes and compiles two functions per route, which takes two fifths of the time of making
an application. They are bound to a route afterwards, and depend only on its words and defaults.
"""

from werkzeug.routing import Rule

_COMPILE = Rule._compile_builder
_COMPILED = {}


def compile_once(rule, append_unknown=True):
    """Return the function that builds the addresses of a route, as `Rule._compile_builder` does."""
    key = (*rule._trace, repr(rule.defaults), append_unknown)
    if key not in _COMPILED:
        _COMPILED[key] = _COMPILE(rule, append_unknown)
    return _COMPILED[key]
