"""Routes compiled once a process: hundreds of tests make an application, each with the same hundred routes.

Werkzeug writes and compiles two functions a route, which is two fifths of the time of making an application. They are
bound to a route afterwards, and differ by nothing but its words and its defaults.
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
