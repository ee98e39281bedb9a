"""Errors as codes and facts. `str(error)` is the sentence for Python; the command says the same facts in its own terms."""

from collections.abc import Mapping
from typing import Any, Self

from vieta.wording import PYTHON, Audience, render


class VietaError(Exception):
    """What cannot be done, and why: a code in kebab-case, a template (`vieta.wording`), and the facts that fill it.

    >>> error = InputError("memory-range", "{option.memory:{value}} must be above 1.", value=0.5)
    >>> str(error), error.code, error.facts
    ('memory=0.5 must be above 1.', 'memory-range', {'value': 0.5})
    """

    def __init__(self, code: str, template: str, /, **facts: Any) -> None:
        super().__init__(code, template)
        self.code = code
        self.template = template
        self.facts: Mapping[str, Any] = facts

    def say(self, audience: Audience) -> str:
        """The sentence for an audience."""
        return render(self.template, self.facts, audience)

    def __str__(self) -> str:
        return self.say(PYTHON)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.code, self.template, dict(self.facts))

    @classmethod
    def wrap(cls, error: BaseException, template: str, /, **facts: Any) -> Self:
        """The same trouble with more said about it: `{cause}` in the template stands for the error."""
        code = error.code if isinstance(error, VietaError) else "unexpected"
        return cls(code, template, cause=error if isinstance(error, VietaError) else str(error), **facts)


def _rebuilt(kind: type[VietaError], code: str, template: str, facts: dict[str, Any]) -> VietaError:
    return kind(code, template, **facts)


class InputError(VietaError, ValueError):
    """An argument, an option or data that cannot be used: what was given, what was needed, what to do."""


class ComputationError(VietaError, ArithmeticError):
    """A computation without a usable result."""


class NotIdentifiableError(InputError):
    """The inputs do not identify the parameters."""


class IncompleteSetsError(InputError):
    """Sets with missing readings, given to a method that needs complete ones."""


class CoincidentSystemsError(InputError):
    """Two systems have the same parameters, and the variance of their estimates is infinite."""


class NotClosedError(InputError):
    """A transform is not closed under these inputs."""


class UnstableStepError(InputError):
    """The step is too large for the inputs seen."""


class DivergedError(ComputationError):
    """The recursion left the range in which its coefficients mean anything."""


class BadFileError(InputError):
    """A file cannot be read as unlabeled sets: where, why, and what to do."""


class MethodError(VietaError, RuntimeError):
    """A method of another package misbehaved; the message names it."""
