"""`python -m tests.fuzz arrays --count 20000 --seed 1`."""

import argparse
from importlib import import_module

parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
parser.add_argument("what", choices=["arrays"])
parser.add_argument("--count", type=int, default=1000)
parser.add_argument("--seed", type=int, default=0)
given = parser.parse_args()
failures = import_module(f"tests.fuzz.{given.what}").run(given.count, given.seed)
print(f"{given.count} cases, {len(failures)} failures")
raise SystemExit(bool(failures))
