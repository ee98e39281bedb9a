"""`vieta methods`."""

import json

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def methods(as_json: bool) -> None:
    """List the estimation methods.

    \b
    Examples:
      vieta methods
      vieta methods --json
    """
    from vieta.estimators.names import methods as listing

    if as_json:
        click.echo(json.dumps(listing(), indent=2))
        return
    for name, line in listing().items():
        click.echo(f"{name:14} {line}")
