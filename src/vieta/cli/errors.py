"""A user's mistake is told in a sentence or two on standard error, with exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from vieta.cli.words import in_words


class RefusedError(click.ClickException):
    """Input that cannot be used."""

    exit_code = 2


IN_PIECES = "the data do not fit into memory. Sort the file by set and read it with --stream."


@contextmanager
def told(too_large: str = IN_PIECES) -> Iterator[None]:
    """Turn what the library raises for bad input into a message; anything else is a fault of ours and stays as it is."""
    try:
        yield
    except (ValueError, ArithmeticError) as error:
        raise RefusedError(in_words(str(error))) from None
    except MemoryError:
        raise RefusedError(too_large) from None
