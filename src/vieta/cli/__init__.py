"""The command `vieta`."""

import sys

from vieta.cli import streams


def main() -> None:
    """Run the command; say what is missing when the extra `app` is not installed."""
    streams.prepare()
    try:
        from vieta.cli.commands import vieta
    except ModuleNotFoundError as error:
        sys.exit(f"the vieta command needs the package {error.name}: install vieta with its extra, vieta[app].")
    except KeyboardInterrupt:
        sys.exit(130)
    vieta()


__all__ = ["main"]
