"""Run a fuzzer: python -m tests.fuzz files --count 20000 --seed 1."""

import argparse
import sys
from importlib import import_module

# name -> module with `failures(seed, start, count)`, which yields (number of the case, what is wrong) where something is
FUZZERS = {"files": "tests.fuzz.broken_files", "arrays": "tests.fuzz.arrays"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("fuzzer", choices=FUZZERS)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="the number of the first case, to go on or to repeat one")
    given = parser.parse_args()
    found = 0
    for number, trouble in import_module(FUZZERS[given.fuzzer]).failures(given.seed, given.start, given.count):
        found += 1
        print(f"--seed {given.seed} --start {number} --count 1: {trouble}", flush=True)
    print(f"{given.count} cases, {found} failures")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
