"""Words on their way out of the command. All text for people passes here or `vieta.cli.console`, and shows no foreign character raw."""

import json
from typing import Any

import click

from vieta.characters import visible


def put(line: str = "", *, err: bool = False, dim: bool = False) -> None:
    """Print a line for people; an end of line within it is shown as its escape."""
    click.secho(visible(line), err=err, dim=dim or None)


def put_json(value: Any, *, indent: int | None = 2) -> None:
    """Print JSON in ASCII, all of it printable."""
    put_whole(json.dumps(value, indent=indent, allow_nan=False).replace("\x7f", "\\u007f") + "\n")


def put_whole(text: str | bytes) -> None:
    """Print a text for a program as it is; no foreign text is in it."""
    click.echo(text, nl=False)
