"""Which columns are taken for what, and what is asked when it cannot be told."""

import pytest

from vieta.errors import BadFileError
from vieta.files import columns
from vieta.files.columns import Head
from vieta.files.layout import Wishes
from vieta.files.recognition import recognise

ROWS = [0, 0, 1, 1]


def head(**columns):
    return Head("file", {name: list(cells) for name, cells in columns.items()})


def numbers(names, rows=4):
    return {name: [0.5 + i for i in range(rows)] for name in names.split()}


@pytest.mark.parametrize("name", ["set", "time", "t", "k", "id", "Set", " TIME ", "hour", "day", "When", "batch"])
@pytest.mark.parametrize("value", ["y", "value", "Reading", "temperature"])
def test_long_files_by_name(name, value):
    layout = recognise(head(**{name: ROWS}, **numbers(f"{value} psi")), Wishes())
    assert (layout.kind, layout.set, layout.values, layout.inputs) == ("long", name, (value,), ("psi",))


@pytest.mark.parametrize("values", ["y1 y2 y3", "value_1 value_2", "s1 s2 s3 s4"])
@pytest.mark.parametrize("inputs", ["", "x", "u1 u2"])
@pytest.mark.parametrize("named", [{}, {"time": [0, 1, 2, 3]}])
def test_wide_files_by_name(values, inputs, named):
    layout = recognise(head(**named, **numbers(values), **numbers(inputs)), Wishes())
    assert layout.kind == "wide"
    assert layout.values == tuple(values.split())
    assert layout.inputs == tuple(inputs.split())
    assert layout.slots == len(layout.values)
    assert layout.reading_dim == 1


def test_two_indices_are_member_and_coordinate():
    layout = recognise(head(**numbers("y1_2 y2_1 y1_1 y2_2 y3_1 y3_2")), Wishes())
    assert layout.values == ("y1_1", "y1_2", "y2_1", "y2_2", "y3_1", "y3_2")
    assert (layout.slots, layout.reading_dim) == (3, 2)


def test_a_number_of_systems_divides_wide_columns():
    layout = recognise(head(**numbers("y1 y2 y3 y4")), Wishes(systems=2))
    assert (layout.slots, layout.reading_dim) == (2, 2)
    with pytest.raises(BadFileError, match="3 columns of readings do not divide among 2 systems: y1_1, y1_2, y2_1"):
        recognise(head(**numbers("y1_1 y1_2 y2_1")), Wishes())


def test_columns_that_do_not_divide_are_room_for_more_readings_than_systems():
    layout = recognise(head(**numbers("y1 y2 y3 y4 y5")), Wishes(systems=3))
    assert (layout.slots, layout.n_systems, layout.reading_dim) == (5, 3, 1)
    layout = recognise(head(**numbers("y1_1 y1_2 y2_1 y2_2 y3_1 y3_2")), Wishes(systems=2))
    assert (layout.slots, layout.n_systems, layout.reading_dim) == (3, 2, 2)


def test_one_value_a_row_is_long_even_if_no_set_repeats_in_the_first_rows():
    assert recognise(head(set=[7, 3, 9, 1], **numbers("y")), Wishes()).kind == "long"


@pytest.mark.parametrize("times", [[0, 1, 1, 2, 3], [0, 1, 1, 2, 2, 3, 4, 5], ["a", "b", "b", "c", "d"]])
def test_a_few_times_that_occur_twice_do_not_make_a_wide_file_long(times):
    columns = numbers("y1 y2 y3", len(times))
    assert recognise(head(time=times, **columns), Wishes()).kind == "wide"
    with pytest.raises(BadFileError, match="whether a row is a reading or a whole set"):
        recognise(head(time=times[::-1], **columns), Wishes())  # or the rows of a long file, shuffled
    assert recognise(head(time=sorted(times * 2), **numbers("y1 y2", 2 * len(times))), Wishes()).kind == "long"


def test_what_is_named_is_taken():
    columns = head(when=ROWS, **numbers("a b c d"))
    layout = recognise(columns, Wishes("long", "when", ("b", "a"), ("d",), 2))
    assert (layout.set, layout.values, layout.inputs, layout.n_systems) == ("when", ("b", "a"), ("d",), 2)


def test_with_values_named_only_named_inputs_count():
    columns = head(t=ROWS, **numbers("x y"))
    assert recognise(columns, Wishes()).inputs == ("x",)
    assert recognise(columns, Wishes(value=("y",))).inputs == ()
    assert recognise(columns, Wishes(value=("x", "y"))).values == ("x", "y")


@pytest.mark.parametrize(
    ("columns", "wishes", "message"),
    [
        (numbers("a b"), Wishes(), r"cannot tell which columns hold the readings. Its columns are: a, b. Give value="),
        (
            numbers("y psi"),
            Wishes(),
            "cannot tell which rows form a set. Its columns are: y, psi. Give set=COLUMN if rows share a set, or",
        ),
        (numbers("y1 y2"), Wishes("long"), "cannot tell which rows form a set"),
        (numbers("a;b"), Wishes(value=("a",)), "file has no column 'a'. Its columns are: a;b."),
        ({"a;b": ["1;2"]}, Wishes(), "perhaps its delimiter is ';': give delimiter="),
        (
            {"t": ROWS, "y": ["1,5"] * 4},
            Wishes(),
            "cannot tell which columns hold the readings. In y, write numbers with a point, not a comma.",
        ),
        (
            {"t": ROWS, "y": ["12,345.60", "1,234,567", "2,000", "980.5"]},
            Wishes(),
            "cannot tell which columns hold the readings. In y, remove the commas between thousands.",
        ),
        (
            {"t": ROWS, "y": ["12,345.60"] * 4},
            Wishes(value=("y",)),
            "column 'y' of file holds no numbers. In y, remove the commas between thousands.",
        ),
        (
            {"t": ROWS, "y": ["1.234,5", "987,0", "12.345,25", "3,5"]},
            Wishes(value=("y",)),
            "In y, remove the points between thousands, and write a point, not a comma, before the decimals.",
        ),
        *(
            (
                {"t": ROWS, "y": [form.format(n) for n in (1, 2.5, -3, 40)]},
                Wishes(value=("y",)),
                "write the numbers alone, without units",
            )
            for form in ("{} kWh", "${}", "{}%", "{} °C", "{}m/s²")
        ),
        ({"y": ["a", "b", "c", "d"]}, Wishes(value=("y",)), "column 'y' of file holds no numbers. None does."),
        (numbers("t y"), Wishes(set="z"), "file has no column 'z'. Its columns are: t, y."),
        (
            {"t": ROWS, "y": ["a", "b", "c", "d"], "u": ROWS},
            Wishes(value=("y",)),
            "column 'y' of file holds no numbers",
        ),
        ({"t": ROWS, "y": ["a"] * 4}, Wishes(), r"Its columns are: t, y \(y without numbers\). Give value="),
        (numbers("t y"), Wishes(set="t", value=("t",)), "column 't' was named 2 times. Name each column once"),
        (numbers("t y"), Wishes(value=("y", "y")), "column 'y' was named 2 times"),
        (numbers("t y1 y2"), Wishes("wide", value=("y1", "y2", "y1")), "column 'y1' was named 2 times"),
        (numbers("t y u"), Wishes(input=("u", "u")), "column 'u' was named 2 times"),
        (
            {"t": [3, 1, 2, 0], **numbers("y1 y2")},
            Wishes(),
            "whether a row is a reading or a whole set.*layout=long or",
        ),
        (
            {"t": ROWS, **numbers("y1 y2 u1 u2 u3")},
            Wishes(),
            r"3 input columns \(u1, u2, u3\) do not fit readings of 2 numbers: give none, one \(a scalar\), or 2 for each",
        ),
    ],
)
def test_what_cannot_be_told_is_asked_for(columns, wishes, message):
    with pytest.raises(BadFileError, match=message):
        recognise(head(**columns), wishes)


def test_many_columns_are_not_all_listed():
    with pytest.raises(BadFileError, match=r"a0b, a1b, .*\.\. 20 more"):
        recognise(head(**numbers(" ".join(f"a{i}b" for i in range(30)))), Wishes())


HEAT = Wishes(value=("heat", "power"))


@pytest.mark.parametrize("name", ["hour", "week", "period", "trial", "sample"])
def test_readings_of_several_numbers_are_not_taken_for_whole_sets(name):
    rows = {name: [0, 0, 0, 1, 1, 1], **numbers("heat power", 6)}
    layout = recognise(head(**rows), HEAT)
    assert (layout.kind, layout.set, layout.values) == ("long", name, ("heat", "power"))


@pytest.mark.parametrize("cells", [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2], ["a", "a", "b", "b"]])
def test_a_column_that_groups_the_rows_leaves_the_layout_open(cells):
    rows = head(patient=cells, **numbers("heat power", len(cells)))
    with pytest.raises(BadFileError, match=r"whether 'patient' says which rows form a set.*set=COLUMN.*layout=wide"):
        recognise(rows, HEAT)
    assert recognise(rows, Wishes("wide", value=HEAT.value)).kind == "wide"
    assert recognise(rows, Wishes(set="patient", value=HEAT.value)).kind == "long"


@pytest.mark.parametrize("cells", [[0, 0, 0, 0], [0, 1, 2, 3], [0, 1, 0, 1], [0, 0, 0, 1, 2, 2]])
def test_a_column_that_groups_no_rows_leaves_a_wide_file_wide(cells):
    assert recognise(head(patient=cells, **numbers("heat power", len(cells))), HEAT).kind == "wide"


def test_hours_that_come_again_may_be_those_of_a_day():
    rows = head(hour=[0, 1, 0, 1], **numbers("y1 y2"))
    with pytest.raises(BadFileError, match="cannot tell whether 'hour' says which rows form a set"):
        recognise(rows, Wishes())
    assert recognise(rows, Wishes("wide")).set is None
    assert recognise(rows, Wishes(set="hour")).kind == "long"


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["a", "b", "b", "a", "a"], True),
        ([7, 8, 8, 7, 7], True),
        (["a", "b", "a", "c", "a"], False),
        (["a", "a", "b", "b", "a"], False),
        (["a", "b", None, None, None], False),
    ],
)
def test_columns_that_name_the_systems_are_known(cells, names):
    layout = recognise(head(t=[0, 0, 1, 1, 2], who=cells, y=[1.5, 2, 3, 4, 5]), Wishes(value=("y",)))
    assert layout.naming == (("who",) if names else ())


def test_an_intercept_needs_inputs_and_readings_of_one_number():
    with pytest.raises(BadFileError, match="readings of one number that have inputs; these have 2"):
        recognise(head(t=[0, 0, 1, 1], **numbers("y1 y2 psi")), Wishes("long", intercept=True))
    with pytest.raises(BadFileError, match=r"intercept=True is .*; none was found: name them with input=") as refused:
        recognise(head(t=[0, 0, 1, 1], **numbers("y")), Wishes(intercept=True))
    assert refused.value.code == "intercept-without-inputs"


def test_columns_that_look_like_inputs_are_known():
    wide = recognise(head(**numbers("y1 y2 x z")), Wishes(value=("y1", "y2")))
    assert (wide.likely_inputs, wide.unused) == (("x",), ("x", "z"))
    long = recognise(head(t=ROWS, dose=[3, 3, 4, 4], age=[1, 1, 2, 2], always=[1] * 4, y=[1.5, 2, 3, 4]), Wishes())
    assert (long.likely_inputs, long.unused) == (("dose", "age"), ("dose", "age", "always"))


@pytest.mark.parametrize("wishes", [Wishes(), Wishes(value=("y1", "y2")), Wishes(value=("y1",), set="c0")])
def test_every_column_of_many_is_looked_at_a_few_times(monkeypatch, wishes):
    looks, look = [], columns._mostly_numbers
    monkeypatch.setattr(columns, "_mostly_numbers", lambda cells: looks.append(1) or look(cells))
    names = ["y1", "y2", *(f"c{k}" for k in range(500))]
    layout = recognise(Head("file", {name: [1.0, 2.0, 3.0] for name in names}), wishes)
    assert layout.describe()
    assert len(looks) <= 5 * len(names)


def test_the_set_column_may_be_an_input_and_is_found_among_them():
    columns = head(Days=ROWS, Reaction=[1.0, 2.0, 3.0, 4.0])
    layout = recognise(columns, Wishes(set="Days", input=("Days",)))
    assert (layout.set, layout.values, layout.inputs) == ("Days", ("Reaction",), ("Days",))
    columns = head(Time=ROWS, weight=[1.0, 2.0, 3.0, 4.0])
    layout = recognise(columns, Wishes(value=("weight",), input=("Time",)))
    assert (layout.kind, layout.set, layout.inputs) == ("long", "Time", ("Time",))
    with pytest.raises(BadFileError, match="column 'Days' was named 2 times"):
        recognise(head(Days=ROWS, y=ROWS), Wishes(set="Days", value=("Days",)))


def test_wide_rows_take_all_other_numbers_as_readings():
    columns = head(date=["2020-01", "2020-02", "2020-03", "2020-04"], **numbers("north south east month"))
    layout = recognise(columns, Wishes("wide"))
    assert (layout.set, layout.values, layout.slots) == ("date", ("north", "south", "east"), 3)
    assert layout.unused == ("month",)  # says when, and is no reading
    layout = recognise(columns, Wishes("wide", input=("south",), category=("month",)))
    assert (layout.values, layout.inputs) == (("north", "east"), ("south", "month"))
    assert recognise(head(**numbers("y1 y2 cold")), Wishes("wide")).values == ("y1", "y2")  # a family comes first
    with pytest.raises(BadFileError, match=r"or layout=wide if a row is a set and all of north, south are readings"):
        recognise(head(set=ROWS, **numbers("north south")), Wishes())


@pytest.mark.parametrize(("first", "rows", "is_reading"), [(0, 20, False), (1, 20, False), (5, 20, True), (0, 7, True)])
def test_a_column_that_numbers_the_rows_is_no_reading_of_wide_rows(first, rows, is_reading):
    columns = {"column 1": list(range(first, first + rows)), "north": [1.5] * rows, "south": [2] * rows}
    layout = recognise(head(**columns), Wishes("wide"))
    assert layout.values == ("column 1", "north", "south") if is_reading else layout.values == ("north", "south")
    assert recognise(head(**columns), Wishes("wide", value=("column 1", "north"))).values == ("column 1", "north")


def test_a_category_looks_like_an_input():
    columns = head(set=[0, 0, 1, 1, 2, 2], y=[1.0] * 6, weather=["clear", "clear", "dull", "dull", "clear", "clear"])
    assert recognise(columns, Wishes()).likely_inputs == ("weather",)


@pytest.mark.parametrize(
    ("rows", "slots"),
    [
        ([[1, 2, 3, 4]] * 9, 2),  # vectors of two
        ([[1, 2, 3, 4]] * 5 + [[1, 2, 3, None]] * 4, 4),  # filled from the left, and no vectors
        ([[1, 2, 3, 4]] * 8 + [[1, None, 3, 4]], 2),  # a vector that is missing in part
        ([[1, 2, 3, 4]] * 19 + [[1, 2, 3, None]], 2),  # too few to tell
    ],
)
def test_columns_that_divide_among_systems_are_vectors_unless_rows_are_filled_otherwise(rows, slots):
    columns = {f"y{i + 1}": [None if row[i] is None else float(row[i]) for row in rows] for i in range(4)}
    assert recognise(Head("a.csv", columns), Wishes(layout="wide", systems=2)).slots == slots
