"""The names of the methods: one name for the same thing in batch, filter and command line."""

METHODS = {
    "efficient": "Weighted estimation in parameter space: where the noise allows, as good as with labels (the default).",
    "least-squares": "Least squares on the symmetric coefficients, with sandwich errors (batch only).",
    "rls": "Recursive least squares on the coefficients; with a `memory` it tracks.",
    "lms": "The paper's adaptive filter: least mean squares on the coefficients with constant steps.",
    "averaged": "LMS whose iterates are averaged: the cost of LMS, to first order the error of least squares.",
    "one-step": "A likelihood step from the weighted estimate: the least error there is, if the noise law is right (batch only).",
    "em": "Maximum likelihood by EM from the weighted estimate, for a noise law that must be right (batch only).",
    "recursive-em": "The paper's rival: likelihood steps a set at a time; biased if the noise law is wrong.",
}

FILTERS = ("efficient", "rls", "lms", "averaged", "recursive-em")


def methods() -> dict[str, str]:
    """The methods by name, with one line each.

    >>> list(methods())
    ['efficient', 'least-squares', 'rls', 'lms', 'averaged', 'one-step', 'em', 'recursive-em']
    """
    return dict(METHODS)


def require_method(method: str, allowed: tuple[str, ...]) -> None:
    """Raise for a name that is not one of `allowed`."""
    if method not in allowed:
        raise ValueError(f"method={method!r} is not known here. Choose one of: {', '.join(allowed)}.")
