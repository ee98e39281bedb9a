"""Run the long studies: those parts that have no result yet, or whose code has changed. A run that was ended goes on."""

import argparse
import os
import sys
from pathlib import Path

from studies.running import stamp
from studies.running.progress import duration, expected_seconds, seconds_left
from studies.running.results import BusyError, Results, opened
from studies.running.runner import CodeChangedError, Run, processes
from studies.running.sources import ROOT
from studies.running.study import every


def main(words: list[str] | None = None) -> int:
    """0, or 1 if a target was missed or a task failed, 2 if nothing can be run, 130 if interrupted."""
    parser = _parser()
    given = parser.parse_args(words)
    if given.runs is not None and given.runs < 2:
        parser.error("--runs must be 2 or more: one run has no standard error.")
    given.output = given.output or (ROOT / "docs" if given.runs is None else given.results)
    if given.stamp:
        changed = stamp.renew_pages(given.output, every())
        print("\n".join(f"{path} now says how old its figures are." for path in changed) or "All stamps are true.")
        return 0
    try:
        with opened(given.results) as results:
            return _run(given, results)
    except (BusyError, CodeChangedError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nInterrupted; the same command goes on from here.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__)
    parser.add_argument("--list", action="store_true", help="show the studies and what is left of them")
    parser.add_argument("--only", action="append", choices=list(every()), metavar="NAME", help="this study; repeatable")
    parser.add_argument("--runs", type=int, metavar="N", help="how many runs a row, where not all are wanted")
    parser.add_argument("--fresh", action="store_true", help="forget the results that are there")
    parser.add_argument(
        "--so-far", action="store_true", help="run nothing, and write the pages of the results that are there"
    )
    parser.add_argument("--stamp", action="store_true", help="only let each page say whether its figures are of today")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count(), metavar="N", help="processes; all cores by default"
    )
    parser.add_argument("--results", type=Path, default=ROOT / "validate", help="folder of the results")
    parser.add_argument("--output", type=Path, help="folder of the pages; docs, or with --runs that of the results")
    return parser


def _run(given: argparse.Namespace, results: Results) -> int:
    chosen = {name: study for name, study in every().items() if not given.only or name in given.only}
    if given.fresh:
        for study in chosen.values():
            results.forget(study)
    run = Run(chosen, given.runs, results, given.output)
    if given.list:
        _list(run, given.workers)
        return 0
    if given.so_far:
        run.conclude_so_far()
        return 0
    with processes(given.workers) as pool:
        is_sound = run(pool, given.workers)
    print("\n".join([*(f"MISSED {text}" for text in run.missed), *(f"FAILED {text}" for text in run.failed)]))
    print(f"{len(run.missed)} target(s) missed, {len(run.failed)} task(s) failed; the pages are in {given.output}/")
    return 0 if is_sound else 1


def _list(run: Run, workers: int) -> None:
    """Each study: how much of it is left, and for how long."""
    left = run.left()
    for study, tasks in run.jobs.items():
        mine = [job for job in left if job[0] is study]
        seconds = expected_seconds([(study, task) for task in tasks], run.results)
        needed = seconds_left([seconds[job] for job in mine], workers)
        words = "not known how long" if needed is None else f"about {duration(needed)}"
        print(f"{study.name:12} {run.size(study)} {study.unit}; {len(mine)} of {len(tasks)} tasks left, {words}")


if __name__ == "__main__":
    sys.exit(main())
