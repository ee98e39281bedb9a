"""The heat meters of five flats over a winter, hour by hour: simulated, with skewed noise, and rounded as meters do.

`python -m vieta.data.meters` writes the files again. The flats are made up so that two pairs of them use about the same on
an average winter day, and one keeps its heat so well that it stands out.
"""

import gzip
import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from vieta.arrays import Floats
from vieta.files.writer import truth
from vieta.laws import inputs, noise
from vieta.scenarios import Records, Scenario, simulate

FLATS = ((0.25, 0.12), (0.40, 0.17), (0.55, 0.055), (0.80, 0.09), (1.05, 0.14))  # kWh an hour, and for every degree
NOISE = noise.Skewed(variance=0.2**2, skewness=1.0)  # somebody has a bath
FIRST, HOURS, SEED = datetime(2024, 11, 1), 151 * 24, 2024


def degrees_below_20(rng: np.random.Generator) -> Floats:
    """How cold it is: the season, the hour of the day, and weather that lasts for some days; rounded to 0.1."""
    hour = np.arange(HOURS)
    season = 4.0 - 6.0 * np.sin(np.pi * hour / HOURS)
    day = 2.5 * np.sin(2.0 * np.pi * (hour - 9.0) / 24.0)
    memory, shocks = 0.985, rng.standard_normal(HOURS)
    weather = np.zeros(HOURS)
    for k in range(1, HOURS):
        weather[k] = memory * weather[k - 1] + np.sqrt(1.0 - memory**2) * shocks[k]
    return np.asarray(np.maximum(20.0 - (season + day + 3.5 * weather), 0.0).round(1))


def records() -> Records:
    """The readings in kWh, rounded to 0.01, with the rows [1, degrees below 20] as inputs."""
    cold = degrees_below_20(np.random.default_rng(SEED))
    scenario = Scenario(
        name="meters",
        description="The heat meters of five flats over a winter, hour by hour.",
        theta=np.array(FLATS),
        noise=NOISE,
        inputs=inputs.Given(np.column_stack([np.ones(HOURS), cold])),
        n=HOURS,
    )
    drawn = simulate(scenario, seed=SEED)
    return replace(drawn, sets=drawn.sets.round(2))


def as_csv(made: Records) -> str:
    """One row a reading: time, reading, cold."""
    assert made.inputs is not None
    lines = ["time,reading,cold"]
    for k, (readings, (_, cold)) in enumerate(zip(made.sets.tolist(), made.inputs.tolist(), strict=True)):
        time = (FIRST + timedelta(hours=k)).isoformat(" ", "minutes")
        lines += [f"{time},{reading:.2f},{cold:.1f}" for reading in readings]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the files beside this one."""
    made, folder = records(), Path(__file__).parent
    (folder / "meters.csv.gz").write_bytes(gzip.compress(as_csv(made).encode(), mtime=0))
    (folder / "meters-truth.json").write_text(json.dumps(truth(made), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
