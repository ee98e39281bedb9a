"""Data that come with the package, to try it on: `meters.csv.gz`, made by `vieta.data.meters`, and the truth behind it."""

from importlib.resources import files

FILES = ("meters.csv.gz", "meters-truth.json")

STORY = """\
Five flats of one house have heat meters. What each flat used is published for
every hour of a winter, 3,624 hours in all, but nobody is to know whose reading is
whose: the five readings of an hour come shuffled, without names. How cold it was
is no secret (degrees below 20 °C). What does each flat use for hot water
(intercept, kWh an hour), and how much more for every degree that it gets colder
(cold: how badly it keeps the heat)?"""


def content(name: str) -> bytes:
    """The bytes of one of `FILES`."""
    return files("vieta.data").joinpath(name).read_bytes()


__all__ = ["FILES", "STORY", "content"]
