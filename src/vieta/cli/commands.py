"""The command group: a table of commands, each in a module of its own that is imported when it is asked for."""

from importlib import import_module

import click

from vieta import __version__

# name -> module; the command is the function of that name in it. Those modules import click and little else at the top.
COMMANDS = {
    "fit": "vieta.cli.fit",
    "simulate": "vieta.cli.simulate",
    "audit": "vieta.cli.audit",
    "watch": "vieta.cli.watch",
    "demo": "vieta.cli.demo",
    "methods": "vieta.cli.methods",
    "reproduce": "vieta.cli.reproduce",
    "completion": "vieta.cli.completion",
}


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


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vieta")
def vieta() -> None:
    """Learn the parameters of many systems from unlabeled sets of observations."""
