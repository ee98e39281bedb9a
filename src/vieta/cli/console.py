"""Tables on the terminal and elsewhere."""

from rich.console import Console
from rich.table import Table

WIDTH = 110  # where there is no terminal to ask
WIDEST = 10_000


def whole_width(table: Table) -> int:
    """How many characters wide a table is with nothing wrapped or cut."""
    return Console(width=WIDEST).measure(table).maximum


def show_table(table: Table) -> None:
    """Print a table; if its columns are not to be wrapped, wider than the terminal rather than with numbers cut."""
    console = Console()
    room = console.width if console.is_terminal else WIDTH
    needed = whole_width(table) if all(column.no_wrap for column in table.columns) else 0
    Console(highlight=False, width=max(room, needed)).print(table)
