"""How a command ends: exit codes, signals, and errors as a sentence or two on standard error."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from vieta.characters import visible
from vieta.cli.terminal import put

if TYPE_CHECKING:
    from vieta.wording import Audience

FOUND = 1  # there are findings, and --strict was given
INTERRUPTED = 130  # 128 + SIGINT
UNREAD = 141  # 128 + SIGPIPE: whoever read the output has gone
TOO_LARGE = "the data do not fit into memory. Sort the file by set and read it with --stream."


class RefusedError(click.ClickException):
    """Input that cannot be used."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(visible(message))


def message(error: BaseException, audience: "Audience | None" = None) -> str:
    """What an error says to whoever typed the command: the one place where errors become words."""
    from vieta.cli.audience import COMMAND
    from vieta.errors import VietaError

    return error.say(audience or COMMAND) if isinstance(error, VietaError) else str(error)


@contextmanager
def refusing(too_large: str = TOO_LARGE, audience: "Audience | None" = None) -> Iterator[None]:
    """Turn what the library raises for bad input into a message; any other exception is a fault of ours and stays as it is."""
    from vieta.errors import VietaError

    try:
        yield
    except (VietaError, ValueError, ArithmeticError) as error:
        raise RefusedError(message(error, audience)) from None
    except MemoryError:
        raise RefusedError(too_large) from None


@contextmanager
def exit_codes() -> Iterator[None]:
    """End a command that the system or the user at the keyboard stops with the exit code that shells expect."""
    try:
        yield
    except click.NoSuchOption as error:
        raise _shown(click.NoSuchOption(error.option_name, possibilities=_near(error), ctx=error.ctx)) from None
    except click.UsageError as error:
        raise _shown(error) from None
    except BaseException as error:
        if _follows(error, KeyboardInterrupt):
            put(err=True)  # closes the line on which the terminal shows ^C
            raise Exit(INTERRUPTED) from None
        # rich raises SystemExit for a broken pipe
        if isinstance(error, OSError | SystemExit) and _follows(error, BrokenPipeError):
            _close_output()
            raise Exit(UNREAD) from None
        if isinstance(error, OSError):
            _close_output()
            raise RefusedError(_reason(error)) from None
        raise


def _shown(error: click.UsageError) -> click.UsageError:
    """The error with what was typed made visible; a missing parameter was not typed, and its choices are listed in lines."""
    if isinstance(error, click.MissingParameter):
        return error
    return click.UsageError(visible(error.format_message()), error.ctx)


def _follows(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Whether an error is of a kind, or was caused by one: compiled code turns an interruption into an error of its own."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error is not None


def _reason(error: OSError) -> str:
    what = "standard output cannot be written" if error.filename is None else f"{error.filename} cannot be used"
    return f"{what}: {error.strerror or error}."


def _close_output() -> None:
    """Let what is still to be written go nowhere; otherwise Python tries once more when it ends, and complains."""
    with suppress(OSError, AttributeError):  # of an output that is no file, or not there
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _near(error: click.NoSuchOption) -> list[str]:
    """Of the options that click proposes, those whose names are alike without the dashes that all have."""
    names = {option.lstrip("-"): option for option in error.possibilities or ()}
    return [names[name] for name in get_close_matches(error.option_name.lstrip("-"), names)]


@contextmanager
def interruption() -> Iterator[int]:
    """A descriptor that can be read from after the first SIGINT or SIGTERM; a second one ends the process at once."""
    read, write = os.pipe()

    def note(number: int, _: Any) -> None:
        os.write(write, b"!")
        signal.signal(number, signal.SIG_DFL)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield read
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(read)
        os.close(write)
