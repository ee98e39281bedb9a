"""`vieta.fit_frame`: the estimate of a frame is that of its arrays, whatever its layout, library, types and order."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.errors import InputError
from vieta.frame_fit import FrameError

pd = pytest.importorskip("pandas", reason="pandas is not installed: pip install '.[dev]'")

N = 150
THETA = np.array([[1.0, 2.0], [4.0, -1.0], [8.0, 0.5]])


def records(seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=N)
    return rng.permuted(THETA[:, 0] + x[:, None] * THETA[:, 1] + 0.2 * rng.normal(size=(N, 3)), axis=1), x


def long(seed=0):
    sets, x = records(seed)
    day = np.repeat(pd.date_range("2024-01-01", periods=N), 3)
    return pd.DataFrame({"day": day, "power": sets.ravel(), "cold": np.repeat(x, 3)})


NAMED = {"set": "day", "value": "power", "inputs": ["cold"], "intercept": True}


@pytest.fixture(scope="module")
def wanted():
    sets, x = records()
    return vieta.fit(sets, np.column_stack([np.ones(N), x]))


def test_long_and_wide_shuffled_and_typed_frames_give_one_estimate(wanted):
    frame = long()
    polars = pl.DataFrame({name: frame[name].to_numpy() for name in frame})
    nullable = frame.astype({"power": "Float64", "cold": "Float64", "day": "category"})
    indexed = frame.set_index("day")
    frames = [frame, frame.sample(frac=1.0, random_state=1), nullable, indexed, polars, polars.lazy(), polars.reverse()]
    for one in frames:
        assert_allclose(vieta.fit_frame(one, **NAMED).theta, wanted.theta, rtol=1e-9)
    sets, x = records()
    wide = pd.DataFrame({"y1": sets[:, 0], "y2": sets[:, 1], "y3": sets[:, 2], "x": x})
    wide.index = pd.date_range("2024-01-01", periods=N)
    assert_allclose(vieta.fit_frame(wide[::-1], layout="wide", intercept=True).theta, wanted.theta, rtol=1e-9)
    numbered = wide.rename(columns={"y1": 1, "y2": 2, "y3": 3})
    assert_allclose(
        vieta.fit_frame(numbered, layout="wide", value=[1, 2, 3], inputs="x", intercept=True).theta,
        wanted.theta,
        rtol=1e-9,
    )


def test_columns_name_the_parameters_and_the_answer_is_a_frame_of_the_kind_that_came_in():
    frame = long()
    found = vieta.fit_frame(frame, **NAMED)
    assert found.names == ("intercept", "cold")
    table = found.to_frame()
    assert isinstance(table, pd.DataFrame)
    assert table["parameter"].tolist() == ["intercept", "cold"] * 3
    assert_allclose(table["estimate"].to_numpy().reshape(3, 2), found.theta)
    assert_allclose(table[["lower", "upper"]].to_numpy().reshape(3, 2, 2), found.conf_int())
    assert isinstance(found.to_frame(kind="polars"), pl.DataFrame)
    polars = pl.DataFrame({name: frame[name].to_numpy() for name in frame})
    assert isinstance(vieta.fit_frame(polars, **NAMED).to_frame(), pl.DataFrame)
    alone = vieta.fit_frame(polars, set="day", value="power", inputs="cold", method="least-squares")
    assert alone.names == ("cold",)


def test_times_trends_seasons_and_categories_are_inputs():
    frame = long()
    size = np.repeat(np.random.default_rng(1).choice(["low", "mid", "high"], N), 3)
    frame["size"] = pd.Categorical(size, ["low", "mid", "high"])
    frame["code"] = pd.Categorical(np.where(size == "low", 10, 9))
    how = {"set": "day", "value": "power"}
    assert vieta.fit_frame(frame, inputs=["cold", "size"], **how).names == (
        "intercept",
        "cold",
        "size=mid",
        "size=high",
    )
    assert vieta.fit_frame(frame, inputs=["cold", "code"], **how).names == ("intercept", "cold", "code=10")
    seasons = vieta.fit_frame(frame, inputs="cold", trend=True, season=["week", 30.5], **how)
    assert seasons.names[2:] == ("trend per day", "cos week", "sin week", "cos 30.5 sets", "sin 30.5 sets")


def test_sets_that_lack_readings_are_taken_as_fit_takes_them():
    frame = long().sample(frac=0.9, random_state=2)
    lists = [group["power"].to_numpy() for _, group in frame.groupby("day")]
    x = frame.groupby("day")["cold"].first().to_numpy()
    found = vieta.fit_frame(frame, n_systems=3, misses=True, clutter=False, **NAMED)
    wanted = vieta.fit(lists, np.column_stack([np.ones(N), x]), n_systems=3, misses=True, clutter=False)
    assert_allclose(found.theta, wanted.theta, rtol=1e-9)
    whole = vieta.fit_frame(frame, on_bad_set="drop", method="least-squares", **NAMED)
    assert whole.findings[0].code == "sets-left-out"
    with pytest.raises(FrameError, match="if method= is left to it") as refused:
        vieta.fit_frame(frame, method="efficient", **NAMED)
    assert "set 2024-01-" in str(refused.value)


def test_systems_are_counted_where_sets_differ_in_size():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"set": np.repeat(np.arange(40), 2), "y": rng.normal(size=80) + np.tile([0.0, 9.0], 40)})
    frame = frame.sample(fraction=0.9, seed=1)
    found = vieta.fit_frame(frame)
    assert (found.method, len(found.theta)) == ("adaptive", 2)
    assert_allclose(found.theta.ravel(), [0.0, 9.0], atol=5.0 / np.sqrt(36))


@pytest.mark.parametrize(
    ("change", "how", "code", "words"),
    [
        (lambda f: f, {"set": "dy"}, "no-column", "no column 'dy'. Its columns are: day, power, cold."),
        (lambda f: f, {"value": "pwr"}, "no-column", "no column 'pwr'"),
        (lambda f: f, {"inputs": ["cold", "cold"]}, "column-named-twice", "'cold' was named 2 times"),
        (lambda f: f[["power", "cold"]], {"value": "power"}, "unknown-sets", "set='COLUMN'"),
        (lambda f: pd.concat([f, f["day"]], axis=1), {}, "column-twice", "'day' more than once"),
        (lambda f: f.astype({"power": str}), {"set": "day", "value": "power"}, "no-numbers", "'power' of the frame holds no"),
        (lambda f: f, {"set": "day", "value": "power", "n_systems": 7}, "no-set-of-size", "Correct n_systems=, set= or value="),
        (lambda f: f, {"set": "day", "value": "power", "season": "fortnight"}, "no-period", "season='fortnight' is no period"),
        (lambda f: f.iloc[:0], {}, "frame-without-rows", "no rows"),
        (lambda f: f.to_numpy(), {}, "not-a-frame", "ndarray was given. Arrays are for vieta.fit."),
        (lambda f: f.assign(power=f["power"].where(f.index != 7, np.inf)), NAMED, "unknown-reading", "row 8 of the frame: set 2024-01-03"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_in_the_words_of_the_call(change, how, code, words):
    with pytest.raises(FrameError) as refused:
        vieta.fit_frame(change(long()), **how)
    assert refused.value.code == code
    assert words in str(refused.value)


def test_options_are_checked_before_the_frame_is_read():
    with pytest.raises(InputError, match="memry="):
        vieta.fit_frame(None, memry=3)
    with pytest.raises(InputError, match="n_systems"):
        vieta.fit_frame(None, n_systems=0)


def test_without_polars_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr("vieta.frame_fit.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"install vieta\[frames\]"):
        vieta.fit_frame(long())
