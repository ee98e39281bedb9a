"""The panels: real tables in which every unit was observed at the same inputs, with the names of the units.

Inputs are what an analyst would take without looking at the names: a trend, a bent one, seasons, a dose. None was chosen by how the
estimate came out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from studies.reality.tables import Columns, chosen, of_r, of_vega, spread
from vieta.arrays import Floats

YEAR = 365.25
DAY = 24.0


class Records(NamedTuple):
    """Readings (N, L), column l of unit l; inputs (N, D); and what they are drawn against (N,)."""

    readings: Floats
    inputs: Floats
    axis: Floats


@dataclass(frozen=True)
class Panel:
    """A panel: its name, the table it is from, the inputs in words, how it is read, and whether the inputs identify the parameters."""

    name: str
    source: str
    inputs: str
    read: Callable[[], Records]
    identified: bool = True


def powers(t: Floats, degree: int = 1) -> Floats:
    """(N, 1 + degree) 1, t, t² .., with t from 0 to 1."""
    unit = (t - t.min()) / np.ptp(t)
    return np.stack([unit**j for j in range(degree + 1)], axis=1)


def seasons(t: Floats, period: float, harmonics: int = 1) -> Floats:
    """(N, 2 harmonics) cosines and sines."""
    angle = 2.0 * np.pi * np.asarray(t, dtype=np.float64)[:, None] * np.arange(1, harmonics + 1) / period
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=1)


def beside(*columns: Floats) -> Floats:
    """Columns side by side."""
    return np.column_stack(columns)


def _trend(package: str, item: str, unit: str, time: str, value: str, degree: int = 1) -> Records:
    wide = spread(of_r(package, item), unit, time, value)
    return Records(wide.readings, powers(wide.times, degree), wide.times)


def _logs(package: str, item: str, unit: str, time: str, value: str) -> Records:
    found = _trend(package, item, unit, time, value)
    return found._replace(readings=np.log(found.readings))


def _columns(table: Columns, names: list[str]) -> Floats:
    return np.column_stack([table[name].astype(float) for name in names])


def _loblolly() -> Records:
    wide = spread(of_r("datasets", "Loblolly"), "Seed", "age", "height")
    return Records(wide.readings, beside(np.ones(len(wide.times)), np.sqrt(wide.times)), wide.times)


def _chicks(diet: int) -> Records:
    table = chosen(of_r("datasets", "ChickWeight"), lambda t: t["Diet"].astype(int) == diet)
    wide = spread(table, "Chick", "Time", "weight")
    return Records(wide.readings, powers(wide.times, 2), wide.times)


def _indometh() -> Records:
    """Two rates of elimination, of a quarter of an hour and of two hours."""
    wide = spread(of_r("datasets", "Indometh"), "Subject", "time", "conc")
    return Records(wide.readings, np.exp(-wide.times[:, None] / [0.35, 2.5]), wide.times)


def _assay() -> Records:
    """Optical density against the logarithm of the concentration: each of eight, twice."""
    table = of_r("datasets", "DNase")
    order = np.argsort(table["Run"].astype(int), kind="stable")
    density, conc = (table[name].astype(float)[order].reshape(11, 16).T for name in ("density", "conc"))
    logs = np.log2(conc[:, 0])
    return Records(density, powers(logs, 2), logs)


def _rabbits() -> Records:
    """Blood pressure against the logarithm of the dose, without and with a drug."""
    table = of_r("MASS", "Rabbit")
    order = np.lexsort([table["Dose"].astype(float), table["Treatment"].astype(str), table["Animal"].astype(str)])
    change, dose = (table[name].astype(float)[order].reshape(5, 12).T for name in ("BPchange", "Dose"))
    logs, drug = np.log2(dose[:, 0] / 6.25), (np.arange(12) >= 6).astype(float)
    return Records(change, beside(powers(logs, 2), drug), logs + 7.0 * drug)


def _wafers() -> Records:
    """Current against voltage at eight sites of each wafer; a set is a site at a voltage."""
    table = of_r("nlme", "Wafer")
    order = np.lexsort([table["voltage"].astype(float), table["Site"].astype(str), table["Wafer"].astype(int)])
    current, voltage = (table[name].astype(float)[order].reshape(10, 40).T for name in ("current", "voltage"))
    return Records(current, powers(voltage[:, 0], 2), voltage[:, 0])


def _plates() -> Records:
    """Six samples of penicillin on each of 24 plates, which differ."""
    table = of_r("lme4", "Penicillin")
    plates = np.unique(table["plate"].astype(str), return_inverse=True)[1]
    wide = spread(table | {"place": plates}, "sample", "place", "diameter")
    return Records(wide.readings, np.ones((len(wide.times), 1)), wide.times)


def _barley() -> Records:
    """Ten varieties at six sites in two years; the year is the input, and has two values."""
    table = of_r("lattice", "barley")
    order = np.lexsort([table["site"].astype(str), table["year"].astype(int), table["variety"].astype(str)])
    yields, year = (table[name].astype(float)[order].reshape(10, 12).T for name in ("yield", "year"))
    return Records(yields, powers(year[:, 0]), np.arange(12.0))


def _cities() -> Records:
    wide = spread(_numbered(of_r("mosaicData", "Weather"), "city"), "city", "number", "avg_temp")
    days = wide.times
    return Records(wide.readings, beside(np.ones(len(days)), seasons(days, YEAR)), days)


def _numbered(table: Columns, unit: str) -> Columns:
    """With a column `number` that counts the rows of each unit."""
    number = np.empty(len(table[unit]))
    for one in np.unique(table[unit].astype(str)):
        rows = table[unit].astype(str) == one
        number[rows] = np.arange(rows.sum())
    return table | {"number": number}


def _hours() -> Records:
    """A year of temperatures, hour by hour: seasons of the year and of the day."""
    readings = np.column_stack([of_vega(name)["temp"].astype(float) for name in ("seattle-temps.csv", "sf-temps.csv")])
    hours = np.arange(len(readings), dtype=np.float64)
    rows = beside(np.ones(len(hours)), seasons(hours, YEAR * DAY), seasons(hours, DAY))
    return Records(readings, rows, hours / DAY)


def _power() -> Records:
    table = of_vega("iowa-electricity.csv")
    years = np.array([int(date[:4]) for date in table["year"]])
    wide = spread(table | {"number": years}, "source", "number", "net_generation")
    return Records(wide.readings / 1000.0, powers(wide.times), wide.times)


def _arrivals() -> Records:
    readings = np.log(_columns(of_r("fpp2", "arrivals"), ["Japan", "NZ", "UK", "US"]))
    quarters = np.arange(len(readings), dtype=np.float64)
    return Records(readings, beside(powers(quarters), seasons(quarters, 4.0)), 1981.0 + quarters / 4.0)


def _nights() -> Records:
    """The eight regions with most visitors."""
    table = of_r("fpp2", "visnights")
    every = _columns(table, [name for name in table if name != "rownames"])
    readings = every[:, np.argsort(-every.mean(axis=0))[:8]]
    quarters = np.arange(len(readings), dtype=np.float64)
    return Records(readings, beside(powers(quarters), seasons(quarters, 4.0)), 1998.0 + quarters / 4.0)


def _deaths() -> Records:
    readings = np.column_stack([of_r("datasets", name)["value"].astype(float) for name in ("mdeaths", "fdeaths")])
    months = np.arange(len(readings), dtype=np.float64)
    return Records(readings, beside(np.ones(len(months)), seasons(months, 12.0, 2)), 1974.0 + months / 12.0)


def _markets() -> Records:
    readings = np.log(_columns(of_r("datasets", "EuStockMarkets"), ["DAX", "SMI", "CAC", "FTSE"]))
    days = np.arange(len(readings), dtype=np.float64)
    return Records(readings, powers(days), 1991.5 + days / 260.0)


def _portfolios() -> Records:
    """Monthly excess returns of three industries against those of the market."""
    table = of_r("Ecdat", "Capm")
    market = table["rmrf"].astype(float)
    return Records(_columns(table, ["rfood", "rdur", "rcon"]), beside(np.ones(len(market)), market), market)


def _lakes() -> Records:
    readings = _columns(of_r("DAAG", "greatLakes"), ["Erie", "michHuron", "Ontario", "StClair"])
    years = 1918.0 + np.arange(len(readings), dtype=np.float64)
    return Records(readings, powers(years), years)


def _regions() -> Records:
    """Mean temperatures of seven states and territories."""
    table = of_r("DAAG", "bomregions2021")
    names = [f"{state}AVt" for state in ("nsw", "nt", "qld", "sa", "tas", "vic", "wa")]
    readings, years = _columns(table, names), table["Year"].astype(float)
    whole = ~np.isnan(readings).any(axis=1)
    return Records(readings[whole], powers(years[whole]), years[whole])


def _air() -> Records:
    """Logarithms of nitrogen oxides at 13 sites, on the days on which none is missing."""
    table = of_r("robustbase", "ambientNOxCH")
    readings = np.log(_columns(table, [name for name in table if name not in ("rownames", "date")]))
    days = np.arange(len(readings), dtype=np.float64)
    whole = ~np.isnan(readings).any(axis=1)
    return Records(readings[whole], beside(np.ones(whole.sum()), seasons(days[whole], YEAR)), days[whole])


def _lives() -> Records:
    """Life expectancy in the countries of the Americas, every five years."""
    table = chosen(of_r("gapminder", "gapminder"), lambda t: t["continent"].astype(str) == "Americas")
    wide = spread(table, "country", "year", "lifeExp")
    return Records(wide.readings, powers(wide.times), wide.times)


def _rates() -> Records:
    """Interest rates of nine maturities against the rate for ten years."""
    table = of_r("Ecdat", "Irates")
    names = ["r1", "r2", "r3", "r5", "r6", "r11", "r12", "r36", "r60"]
    long = table["r120"].astype(float)
    return Records(_columns(table, names), beside(np.ones(len(long)), long), long)


PANELS = (
    Panel("orange trees", "datasets::Orange", "1, age", lambda: _trend("datasets", "Orange", "Tree", "age", "circumference")),
    Panel("loblolly pines", "datasets::Loblolly", "1, √age", _loblolly),
    Panel("sleep study", "lme4::sleepstudy", "1, day", lambda: _trend("lme4", "sleepstudy", "Subject", "Days", "Reaction")),
    Panel("chicks, diet 3", "datasets::ChickWeight", "1, t, t²", lambda: _chicks(3)),
    Panel("chicks, all", "datasets::ChickWeight", "1, t", lambda: _trend("datasets", "ChickWeight", "Chick", "Time", "weight")),
    Panel("Oxford boys", "nlme::Oxboys", "1, occasion", lambda: _trend("nlme", "Oxboys", "Subject", "Occasion", "height")),
    Panel("rats", "nlme::BodyWeight", "1, t", lambda: _trend("nlme", "BodyWeight", "Rat", "Time", "weight")),
    Panel("orthodontic distance", "nlme::Orthodont", "1, age", lambda: _trend("nlme", "Orthodont", "Subject", "age", "distance")),
    Panel("indomethacin", "datasets::Indometh", "two decays", _indometh),
    Panel("assay of DNase", "datasets::DNase", "1, x, x² (x = log conc.)", _assay),
    Panel("rabbits", "MASS::Rabbit", "1, x, x², drug (x = log dose)", _rabbits),
    Panel("wafers", "nlme::Wafer", "1, V, V²", _wafers),
    Panel("penicillin plates", "lme4::Penicillin", "1", _plates),
    Panel("barley", "lattice::barley", "1, year in {1931, 1932}", _barley, identified=False),
    Panel("investment of firms", "plm::Grunfeld", "1, year", lambda: _trend("plm", "Grunfeld", "firm", "year", "inv")),
    Panel("gasoline demand", "plm::Gasoline", "1, year", lambda: _trend("plm", "Gasoline", "country", "year", "lgaspcar")),
    Panel("costs of airlines", "Ecdat::Airline", "1, year", lambda: _logs("Ecdat", "Airline", "airline", "year", "cost")),
    Panel("cigarette sales", "plm::Cigar", "1, t, t²", lambda: _trend("plm", "Cigar", "state", "year", "sales", 2)),
    Panel("products of states", "plm::Produc", "1, year", lambda: _logs("plm", "Produc", "state", "year", "gsp")),
    Panel("life expectancy", "gapminder::gapminder", "1, year", _lives),
    Panel("electricity of Iowa", "vega: iowa-electricity", "1, year", _power),
    Panel("arrivals in Australia", "fpp2::arrivals", "1, t, seasons", _arrivals),
    Panel("nights of visitors", "fpp2::visnights", "1, t, seasons", _nights),
    Panel("deaths, men and women", "datasets::mdeaths, fdeaths", "1, two harmonics", _deaths),
    Panel("five cities", "mosaicData::Weather", "1, cos, sin", _cities),
    Panel("two cities by the hour", "vega: seattle-temps, sf-temps", "1, seasons of year and day", _hours),
    Panel("stock markets", "datasets::EuStockMarkets", "1, t", _markets),
    Panel("three industries", "Ecdat::Capm", "1, market", _portfolios),
    Panel("great lakes", "DAAG::greatLakes", "1, year", _lakes),
    Panel("states of Australia", "DAAG::bomregions2021", "1, year", _regions),
    Panel("nitrogen oxides", "robustbase::ambientNOxCH", "1, cos, sin", _air),
    Panel("interest rates", "Ecdat::Irates", "1, rate of ten years", _rates),
)  # fmt: skip
