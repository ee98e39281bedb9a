"""`vieta groups`."""

from typing import TYPE_CHECKING, Any

import click

from vieta.cli.column_flags import columns
from vieta.cli.ranges import level

if TYPE_CHECKING:
    from vieta.arrays import Floats
    from vieta.estimators.group_estimate import GroupEstimate

TOO_LARGE = "the data do not fit into memory. Take a part of the sets."
APART = "The systems of one group do not correspond to those of another: the inputs cannot tell which values belong to one system."
TOGETHER = "The inputs tell which values belong to one system: vieta fit estimates the parameters."


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True), metavar="FILE...")
@columns
@level
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def groups(files: tuple[str, ...], **given: Any) -> None:
    """Estimate the set of values in each group of inputs on its own.

    For inputs that cannot tell which values belong to one system, which `vieta fit` refuses: a constant beside 0 or 1, or categories.
    Inputs that no set combines form groups; what can be estimated is the set of the systems' values in each.

    FILE is a file of records, as for `vieta fit`, or - for standard input.

    \b
    Examples:
      vieta groups ratings.csv --input treated --intercept
      vieta groups ratings.csv --category ward --json
    """
    from vieta.cli.process import refusing

    with refusing(TOO_LARGE):
        description, names, found = _found(files, given)
    if given["as_json"]:
        _print_json(names, found)
    else:
        _show(description, names, found, given["level"])


def _found(files: tuple[str, ...], given: dict[str, Any]) -> "tuple[list[str], list[str], tuple[GroupEstimate, ...]]":
    """What was read, the names of the inputs, and the estimate of each group."""
    import warnings

    from vieta.cli.column_flags import description, wishes
    from vieta.cli.console import reading
    from vieta.estimators import fit_groups
    from vieta.file_fit import parameter_names, placed
    from vieta.files.reader import reader
    from vieta.method import registry
    from vieta.set_requirements import require_complete

    options = {"on_bad_set": given["on_bad_set"], "stream": False, "delimiter": given["delimiter"]}
    with (
        reader(files, wishes(given), **options) as source,
        reading(source.size) as progress,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", RuntimeWarning)  # what matters of it is said in the findings
        data = source.all(progress).data
        with placed(source):
            require_complete(data, registry.default())
            found = fit_groups(data.sets, data.inputs)
        L, D = data.sets.shape[1], found[0].rows.shape[1]
        return description(source, len(data), L, source.dropped), parameter_names(source.layout, D), found


def row_in_words(names: list[str], row: "Floats") -> str:
    """An input row.

    >>> row_in_words(["1", "ward=b"], [1.0, 0.0])
    '1 = 1, ward=b = 0'
    """
    return ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, row, strict=True))


def _show(description: list[str], names: list[str], found: "tuple[GroupEstimate, ...]", level: float) -> None:
    from vieta.cli.audience import COMMAND
    from vieta.cli.console import number_table, say, show_remarks, show_table
    from vieta.estimators.table import table
    from vieta.report.remarks import Remark, remarks

    for line in description:
        say(line, "dim")
    for group in found:
        one, rows = group.estimate, [row_in_words(names, row) for row in group.rows]
        cells = table(one.theta, one.stderr, one.conf_int(level), level, names=rows, noise_sd=one.noise_sd)
        title = f"Values under {rows[0]}" if len(rows) == 1 else "Values under the inputs of a group"
        show_table(number_table(f"{title}, from {one.n_sets:,} sets", *cells, section=len(rows)))
        if one.findings:
            show_remarks("What to make of it", remarks(one.findings, COMMAND))
    show_remarks("What to make of all", [Remark(APART if len(found) > 1 else TOGETHER, "note")])


def _print_json(names: list[str], found: "tuple[GroupEstimate, ...]") -> None:
    from vieta.cli.terminal import put_json

    put_json(
        {
            "inputs": names,
            "groups": [{"rows": group.rows.tolist(), "estimate": group.estimate.to_dict()} for group in found],
        }
    )
