"""Run benchmarks, all or those that are named, print one line each, and fail if a target is missed."""

import sys
from importlib import import_module

MODULES = (
    "lms", "roots", "start", "efficient", "likelihood", "incomplete", "files", "watch", "threads", "cluster", "parquet",
)  # fmt: skip


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in MODULES]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}; there are {', '.join(MODULES)}.")
        return 2
    missed = 0
    for name in names or MODULES:
        for result in import_module(f"benchmarks.{name}").run():
            print(result.line(), flush=True)
            missed += not result.reached
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
