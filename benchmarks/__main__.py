"""Run all benchmarks, print one line each, and fail if a target is missed."""

import sys

from benchmarks import efficient, files, incomplete, likelihood, lms, roots, start, watch


def main() -> int:
    missed = 0
    for module in (lms, roots, start, efficient, likelihood, incomplete, files, watch):
        for result in module.run():
            print(result.line(), flush=True)
            missed += not result.reached
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
