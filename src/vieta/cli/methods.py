"""`vieta methods`."""

from typing import Any

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table, with the options of each method.")
def methods(as_json: bool) -> None:
    """List the estimation methods.

    Methods of other packages are among them, if they are installed.

    \b
    Examples:
      vieta methods
      vieta methods --json
    """
    from vieta.cli.terminal import put, put_json
    from vieta.method import registry

    if as_json:
        put_json(_listing())
        return
    found = registry.methods()
    width = max(map(len, found)) + 2
    for name, line in found.items():
        put(f"{name:{width}}{line}")
    for name, reason in registry.broken().items():
        put(f"method {name!r} could not be loaded: {reason}", err=True)


def _listing() -> dict[str, Any]:
    """Every method with its line, whether `vieta watch` takes it, and its options as `vieta fit` takes them."""
    from vieta.cli.audience import spelled
    from vieta.method import registry

    return {
        name: {
            "line": one.line,
            "online": one.has_engine,
            "options": {
                option: {"help": info.help, "kind": info.kind, "flag": spelled(option) if info.kind else None}
                for option, info in one.Options.infos().items()
            },
        }
        for name, one in registry.every().items()
    }
