"""The command group: a table of commands, each in a module of its own that is imported when it is asked for."""

from functools import cache
from importlib import import_module
from typing import Any

import click

from vieta import __version__
from vieta.cli.process import exit_codes

# name -> module; the command is the function of that name in it. Those modules import click and little else at the top.
COMMANDS = {
    "fit": "vieta.cli.fit",
    "label": "vieta.cli.label",
    "groups": "vieta.cli.groups",
    "simulate": "vieta.cli.simulate",
    "audit": "vieta.cli.audit",
    "watch": "vieta.cli.watch",
    "merge": "vieta.cli.merge",
    "page": "vieta.cli.page",
    "demo": "vieta.cli.demo",
    "methods": "vieta.cli.methods",
    "doctor": "vieta.cli.doctor",
    "reproduce": "vieta.cli.reproduce",
    "completion": "vieta.cli.completion",
}
COMPUTING = {"fit", "label", "groups", "audit", "watch", "merge", "reproduce", "page"}  # commands that compile kernels


class LazyGroup(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
        return command

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the words of the command; help and version are printed here."""
        with exit_codes():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with exit_codes():
            return super().invoke(ctx)


@cache
def say_where_kernels_are() -> None:
    """Report once, on standard error, that kernels are not kept where they stay."""
    from vieta.cache_directory import chosen

    place = chosen()
    if place is None or place.kind == "temporary":
        from vieta.cli.audience import COMMAND
        from vieta.cli.terminal import put
        from vieta.findings import marked
        from vieta.installation import cache_findings

        for line in marked(cache_findings(place), COMMAND):
            put(line, err=True)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vieta")
@click.pass_context
def vieta(ctx: click.Context) -> None:
    """Learn the parameters of many systems from unlabeled sets of observations.

    \b
    Examples:
      vieta demo
      vieta simulate example-1 -n 5000 -o records.csv
      vieta fit records.csv --report fit.html
      vieta label records.csv -o labeled.csv
      vieta audit records.csv
      vieta simulate example-1 -n 5000 -o - | vieta watch
      vieta fit --help

    \b
    Exit codes:
      0    done
      1    done, and --strict was given and there are findings that count
      2    the input cannot be used, or an output cannot be written
      130  interrupted at the keyboard (Ctrl-C)
      141  whoever read the output has gone, as with | head
    """
    if ctx.invoked_subcommand in COMPUTING:
        say_where_kernels_are()
