"""Real panels without the names of their units: the estimate beside least squares with names, and a verdict for each."""

from typing import Any

from studies.reality.attack import falls_short
from studies.reality.comparison import RIGHT, SILENT, VERDICTS, WITHIN
from studies.reality.panels import PANELS, Panel
from studies.running.sources import ROOT
from studies.running.study import Conclusion, Study, Task
from vieta.atomic import write_whole

PICTURES = ROOT / "validate" / "reality"
BY_NAME = {panel.name: panel for panel in PANELS}
HEADER = (
    "| panel | table | L | N | inputs | off by, errors | off by, sds | in intervals | errors / labeled | baseline off by, sds | findings "
    "| verdict | named, audit | s |\n" + "|---" * 14 + "|"
)


class Reality(Study):
    """The page of the panels."""

    name = "reality"
    title = "Real panels"
    note = (
        "Tables in which L units were observed at the same N inputs, from packages of data; nothing is downloaded when they are read. "
        "The names of the units are removed, and `vieta.fit` with its defaults is compared with least squares that has them. *Off by* is "
        "the distance between the curves, root mean square over the inputs, of the unit that is farthest off: in standard errors of the "
        "curve with names, and in residual standard deviations of that unit. An estimate is *right* if all curves are within two standard "
        "errors or half a standard deviation; if it is not, it is *reported* where a finding (`!!` serious, `!` caution; *few-sets* does not "
        "count, it is about standard errors only) puts it in doubt, and *refused* where an error does. It is *within its errors* if the "
        "parameters with names lie in its 95 % regions. The target: nothing is *wrong and silent*. *In intervals* is the share of "
        "parameters with names in the 95 % intervals; *errors / labeled* is the median standard error over that of least squares with "
        "names, which counts readings as independent. The baseline is alternating assignment and least squares, the least sum of "
        "squares of all starts: where it is right, the estimate should be so too. *Named, audit*: the share of readings that an attacker "
        "names who knows the curves with names, and the share that the audit of the estimate says; `?` where the audit says that its "
        "figures are doubtful. Seconds are of one machine."
    )
    runs = 200
    unit = "starts of the baseline"
    sources = ("studies.reality.measure", "vieta.method.efficient", "vieta.method.adaptive")

    def tasks(self, runs: int) -> list[Task]:
        return [Task(panel.name, 0, runs) for panel in PANELS]

    def run(self, task: Task) -> Any:
        """The figures of a panel; its picture goes to a folder of its own."""
        from studies.reality.drawing import one
        from studies.reality.measure import measure

        result = measure(BY_NAME[task.row], task.stop)
        PICTURES.mkdir(parents=True, exist_ok=True)
        write_whole(PICTURES / f"{_plain(task.row)}.png", one(task.row, result))
        return result

    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        """The table, counts of verdicts, and a sheet of all pictures."""
        from studies.reality.drawing import sheet

        found = {task.row: result for task, result in results.items()}
        counts = [(sum(one["verdict"] == name for one in found.values()), name) for name in VERDICTS]
        total = f"{len(found)} panels: " + ", ".join(f"{count} {name}" for count, name in counts) + "."
        table = [HEADER, *(line(BY_NAME[name], result) for name, result in found.items())]
        missed = tuple(f"{name}: {text}" for name, result in found.items() for text in faults(BY_NAME[name], result))
        picture = f"![Readings, curves with names (thin) and without (bold)]({self.name}.png)"
        return Conclusion("\n\n".join([total, picture, "\n".join(table)]), missed, sheet(found))


def _plain(name: str) -> str:
    """For a file's name.

    >>> _plain("chicks, diet 3")
    'chicks-diet-3'
    """
    return "-".join("".join(letter if letter.isalnum() else " " for letter in name).split())


def faults(panel: Panel, result: dict[str, Any]) -> list[str]:
    """What must not be."""
    found = []
    if result["verdict"] == SILENT:
        found.append(f"wrong and silent, off by {result['far']['deviations']:.2g} standard deviations")
    if panel.identified and result["baseline"]["is_right"] and result["verdict"] not in (RIGHT, WITHIN):
        found.append(f"{result['verdict']}, where alternating assignment is right")
    if result["attack"] is not None and falls_short(result["attack"]):
        found.append(
            f"an attacker names {result['attack']['attacker']:.0%}, and the audit says {result['attack']['audit']:.0%}"
        )
    return found


def line(panel: Panel, result: dict[str, Any]) -> str:
    """Of the table."""
    far, said, baseline = result["far"], result["intervals"], result["baseline"]
    off = ("", "") if far is None else (f"{far['errors']:.3g}", f"{far['deviations']:.2f}")
    known = said["share"] == said["share"]
    cells = (
        panel.name,
        panel.source,
        result["systems"],
        result["sets"],
        panel.inputs,
        *off,
        f"{said['share']:.0%}" if known else "",
        f"{said['ratio']:.2g}" if known else "",
        f"{baseline['deviations']:.2f}{'' if baseline['is_right'] else ' (wrong)'}",
        " ".join(result["findings"]),
        result["verdict"],
        _named(result["attack"]),
        f"{result['seconds']:.1f}",
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _named(attack: dict[str, Any] | None) -> str:
    """What the attacker names, and what the audit says.

    >>> _named({"attacker": 0.744, "audit": 0.731, "doubtful": True})
    '74%, 73%?'
    """
    if attack is None:
        return ""
    return f"{attack['attacker']:.0%}, {attack['audit']:.0%}{'?' if attack['doubtful'] else ''}"


STUDY = Reality()
