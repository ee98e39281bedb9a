"""`vieta doctor`."""

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from vieta.findings import Finding

PLACES = {
    "given": "given by NUMBA_CACHE_DIR",
    "package": "in the folder of the package",
    "user": "in the cache folder of this user",
    "temporary": "in the folder for temporary files",
}


@click.command()
@click.option("--compile", "compiles", is_flag=True, help="Compile all kernels first, so that no later run has to.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.option("--strict", is_flag=True, help="Exit with 1 if a finding is more than a note.")
@click.pass_context
def doctor(ctx: click.Context, /, compiles: bool, as_json: bool, strict: bool) -> None:
    """Say what is installed, where compiled kernels are kept, and what is missing.

    The first run of a method on a machine compiles kernels, which are kept. With --compile all of them are compiled at once: for an
    image of a machine, or a classroom. Whoever may read the folder of the package uses the kernels that are kept there; they fit the
    kind of processor on which they were compiled.

    Exit code: 0, or 1 if --strict is given and there are findings that are more than notes.

    \b
    Examples:
      vieta doctor
      vieta doctor --compile
      vieta doctor --json --strict
    """
    from vieta.cli.audience import COMMAND
    from vieta.cli.process import FOUND
    from vieta.cli.terminal import put_json
    from vieta.installation import facts, findings
    from vieta.report.remarks import in_words, is_sound

    if compiles:
        _compile()
    known = facts()
    found = findings(known)
    if as_json:
        put_json(known | in_words(found, COMMAND))
    else:
        _show(known, found)
    if strict and not is_sound(found):
        ctx.exit(FOUND)


def _compile() -> None:
    """Compile all kernels, with a line for each job that took a while."""
    from time import perf_counter

    from vieta.cli.terminal import put
    from vieta.warm_up import jobs

    every = list(jobs())
    started = perf_counter()
    for number, job in enumerate(every, start=1):
        begun = perf_counter()
        job.run()
        if perf_counter() - begun > 1.0 or number == len(every):
            put(f"{perf_counter() - started:5.0f} s  {number}/{len(every)}  {job.name}", err=True)


def _show(known: dict[str, Any], found: "tuple[Finding, ...]") -> None:
    from vieta.cli.audience import COMMAND
    from vieta.cli.console import say, show_remarks
    from vieta.report.remarks import Remark, remarks

    lines = _lines(known)
    width = max(map(len, lines)) + 2
    for name, text in lines.items():
        say(f"{name:{width}}{text}")
    told = remarks(found, COMMAND) or [Remark("All is well.", "fine")]
    show_remarks("What to make of it", told)


def _lines(known: dict[str, Any]) -> dict[str, str]:
    """The facts in words, by the name of each."""
    cache, kernels = known["cache"], known["kernels"]
    rest = "" if not kernels["missing"] else "; vieta doctor --compile compiles all"
    kept = f"{cache['path']} ({PLACES[cache['kind']]}), {cache['bytes'] / 1e6:.1f} MB" if cache["path"] else "nowhere"
    return {
        "vieta": f"{known['vieta']}, Python {known['python']}, {known['system']}",
        "packages": ", ".join(f"{name} {number or 'missing'}" for name, number in known["packages"].items()),
        **{f"extra {name}": _extra(name, absent) for name, absent in known["extras"].items()},
        "kernels": f"{kernels['compiled']} of {kernels['known']} compiled{rest}",
        "kept in": kept,
        "cores": str(known["cores"]),
        "output": f"{'a terminal' if known['terminal']['stdout'] else 'no terminal'}, {known['encoding']['stdout']}",
        "temporary files": known["temporary"] or "nowhere",
    }


def _extra(name: str, absent: list[str]) -> str:
    if not absent:
        return "installed"
    return f"not installed: {', '.join(absent)}. To get it: pip install 'vieta[{name}]'"
