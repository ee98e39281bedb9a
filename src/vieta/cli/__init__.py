"""The command `vieta`."""

import io
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
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files need not be text
    vieta()


__all__ = ["main"]
