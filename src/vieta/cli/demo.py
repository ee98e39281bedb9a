"""`vieta demo`."""

from pathlib import Path

import click

COMPILING = "Kernels that no run on this machine has compiled yet are compiled now, for some fifteen seconds; later runs do not."


def commands(folder: Path) -> list[list[str]]:
    """The commands that the demonstration runs on the files in a folder."""
    records = [str(folder / "meters.csv.gz"), "--input", "cold", "--intercept"]
    truth = ["--truth", str(folder / "meters-truth.json")]
    return [
        ["fit", *records, *truth, "--plot", str(folder / "fit.png"), "--report", str(folder / "fit.html")],
        ["audit", *records, "--plot", str(folder / "audit.png"), "--report", str(folder / "audit.html")],
    ]


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo"),
    show_default=True,
    help="Folder for the records, the pictures and the pages.",
)
@click.pass_context
def demo(ctx: click.Context, output: Path) -> None:
    """Learn five flats from a winter of anonymous meter readings, and see how anonymous they are.

    The records come with the package. They are written to a folder, fitted, compared with the truth, and audited, by
    commands that are shown, to be tried again.

    \b
    Examples:
      vieta demo
      vieta demo --output somewhere
    """
    import shlex

    from vieta.cli.outputs import made_folder, write_file
    from vieta.cli.terminal import put, put_whole
    from vieta.data import FILES, STORY, content

    made_folder(output)
    for name in FILES:
        write_file(output / name, content(name))
    put_whole(f"{STORY}\n\n{COMPILING}\n")
    group = ctx.find_root().command
    assert isinstance(group, click.Group)
    for words in commands(output):
        put()
        put(f"$ vieta {shlex.join(words)}")
        put()
        code = group.main(words, prog_name="vieta", standalone_mode=False)
        if code:  # interrupted, or nobody reads any more
            ctx.exit(code)
    put()
    put(f"Open {output / 'fit.html'} and {output / 'audit.html'}; the pictures alone are beside them.")
