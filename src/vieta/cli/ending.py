"""How a command ends that cannot go on: in a sentence, or quietly, with the exit code that shells expect."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches

import click
from click.exceptions import Exit

from vieta.cli.errors import RefusedError

INTERRUPTED = 130  # 128 + SIGINT
UNREAD = 141  # 128 + SIGPIPE: whoever read the output has gone


@contextmanager
def ending() -> Iterator[None]:
    """Turn what the system or the user at the keyboard does to a command into its end."""
    try:
        yield
    except click.NoSuchOption as error:
        raise click.NoSuchOption(error.option_name, possibilities=_near(error), ctx=error.ctx) from None
    except BaseException as error:
        if _follows(error, KeyboardInterrupt):
            click.echo(err=True)  # closes the line on which the terminal shows ^C
            raise Exit(INTERRUPTED) from None
        if isinstance(error, OSError | SystemExit) and _follows(
            error, BrokenPipeError
        ):  # rich raises SystemExit for it
            _close_output()
            raise Exit(UNREAD) from None
        if isinstance(error, OSError):
            _close_output()
            raise RefusedError(_told(error)) from None
        raise


def _follows(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Whether an error is of a kind, or came of one: compiled code turns an interruption into an error of its own."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error is not None


def _told(error: OSError) -> str:
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
