import numpy as np
import pytest
from matplotlib.figure import Figure

from vieta import plots


@pytest.mark.parametrize("D", [1, 2, 3])
def test_parameters_shows_every_system(D):
    theta = np.arange(3.0 * D).reshape(3, D)
    figure = plots.parameters(theta, 0.01 * np.eye(3 * D), 0.95, "title")
    assert isinstance(figure, Figure)
    assert len(figure.axes) == (3 if D == 3 else 1)  # a panel each, because scales differ
    for ax in figure.axes:
        assert len(ax.lines if D == 2 else ax.containers) == 3


def test_an_ellipse_has_the_size_of_the_confidence_region():
    cov = np.diag([0.04, 0.01])
    (ax,) = plots.parameters(np.array([[1.0, 2.0]]), cov, 0.95, "").axes
    (ellipse,) = ax.patches
    radius = np.sqrt(5.991)  # 95 % quantile of chi-square with two degrees of freedom
    assert sorted([ellipse.width, ellipse.height]) == pytest.approx([2 * radius * 0.1, 2 * radius * 0.2], rel=1e-3)


def test_unknown_covariance_is_drawn_without_intervals():
    (ax,) = plots.parameters(np.array([[1.0, 2.0]]), np.full((2, 2), np.nan), 0.95, "").axes
    assert not ax.patches
    plots.parameters(np.array([[1.0], [2.0]]), np.full((2, 2), np.nan), 0.95, "")


def test_a_trajectory_is_cut_to_where_it_settles():
    _, left, _ = plots.two_panels("")
    theta = np.linspace(1.0, 1.1, 100)[:, None] * [1.0, 2.0]
    theta[0] = 1e6
    plots.trajectory(left, np.arange(100), theta, np.array([1.1, 2.2]))
    assert left.get_ylim()[1] < 10.0
    assert len(left.lines) == 4


def test_a_matrix_comparison_has_a_line_and_points_a_row():
    _, left, _ = plots.two_panels("")
    plots.matrix_comparison(left, np.ones((3, 5)), np.zeros((3, 5)))
    assert len(left.lines) == 6


@pytest.mark.parametrize("L", [3, 12])
def test_a_tradeoff_has_a_line_a_system_and_a_point_a_level(L):
    added = np.array([0.0, 0.5, 1.0, 2.0])
    right = np.linspace(1.0, 0.5, 4)[:, None] * np.ones(L)
    analyst = np.array([1.0, 2.0, 4.0, np.inf])
    figure = plots.tradeoff(added, right, right[:, 0], 1.0 - right[:, 0], analyst, analyst / 2.0, "title")
    left, cost = figure.axes
    assert len(left.lines) == L + 2  # and all of them, and chance
    first, second = (len(legend.get_texts()) for legend in figure.legends)  # beside the axes
    assert (first, second) == ((L if L <= 8 else 1) + 1, 2)
    assert figure.legends[0].get_texts()[0].get_text() == f"the whole record (all {L})"
    points, bound = cost.lines
    assert points.get_xdata() == pytest.approx(1.0 - right[:3, 0])  # what cannot be told is left out
    assert bound.get_ydata()[:3] == pytest.approx(analyst[:3] / 2.0)
    assert [note.get_text() for note in cost.texts] == ["now", "+1"]


def test_a_tradeoff_without_bound_or_noise_is_drawn():
    unknown = np.full(1, np.nan)
    left, cost = plots.tradeoff(np.zeros(1), np.ones((1, 2)), np.ones(1), np.zeros(1), np.zeros(1), unknown, "").axes
    assert len(cost.lines) == 1
    left.figure.draw_without_rendering()


def band(center, half, L, D):
    return np.broadcast_to([center - half, center + half], (L, D, 2))


def test_the_band_is_the_interval_wherever_the_path_ends():
    (ax,) = plots.paths(np.arange(1, 51), np.ones((50, 1, 1)), band(1.3, 0.2, 1, 1), ["1"]).axes
    (drawn,) = ax.patches
    assert (drawn.get_y(), drawn.get_y() + drawn.get_height()) == pytest.approx((1.1, 1.5))


@pytest.mark.parametrize(("L", "D", "panels"), [(3, 1, 3), (2, 2, 4), (4, 10, 12)])
def test_paths_have_a_panel_each_with_the_interval_in_view(L, D, panels):
    theta = 5.0 + np.linspace(1.0, 0.0, 50)[:, None, None] ** 9 * np.ones((50, L, D))
    figure = plots.paths(np.arange(50), theta, band(5.0, 0.5, L, D), [str(j) for j in range(D)])
    drawn = [ax for ax in figure.axes if ax.lines]
    assert len(drawn) == panels
    for ax in drawn:
        low, high = ax.get_ylim()
        assert low < 4.5
        assert 5.5 < high < 6.0  # not the start of the path


def test_a_path_without_an_interval_is_drawn():
    (ax,) = plots.paths(np.arange(1, 51), np.ones((50, 1, 1)), np.full((1, 1, 2), np.nan), ["1"]).axes
    assert ax.get_ylim()[0] < 1.0 < ax.get_ylim()[1]


@pytest.mark.parametrize(("size", "panels"), [(None, 2), (np.arange(30.0), 3)])
def test_residuals_are_drawn_against_an_input_if_there_is_one(size, panels):
    figure = plots.residuals(np.linspace(-1.0, 1.0, 30), np.arange(30), 0.5, size, "dose")
    assert len(figure.axes) == panels
    plots.residuals(np.zeros(30), np.arange(30), 0.0, size, "dose")


@pytest.mark.parametrize("D", [2, 3])
def test_parameters_may_have_names(D):
    names = ["intercept", "slope", "bend"][:D]
    axes = plots.parameters(np.ones((1, D)), np.eye(D), 0.95, "", names).axes
    labels = [axes[0].get_xlabel(), axes[0].get_ylabel()] if D == 2 else [ax.get_title() for ax in axes]
    assert labels == names


def test_words_that_would_overlap_are_left_out():
    added = np.array([0.0, 0.1, 0.2, 0.3, 2.0])
    anonymity = np.array([0.3, 0.305, 0.31, 0.32, 0.8])
    right = np.ones((5, 2))
    _, cost = plots.tradeoff(added, right, right[:, 0], anonymity, np.arange(1.0, 6.0), np.ones(5), "").axes
    assert [note.get_text() for note in cost.texts] == ["now", "+2"]


@pytest.mark.parametrize("L", [1, 5, 60])
def test_bars_of_who_is_named(L):
    right = np.linspace(0.2, 1.0, L)
    (ax,) = plots.named(right, [f"{share:.3f}" for share in right]).axes
    assert L > 30 or ax.texts[0].get_text() == f"{right[0]:.3f}"
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(right)
    (chance,) = ax.lines
    assert chance.get_xdata() == [1.0 / L, 1.0 / L]
    assert len(ax.texts) == (L if L <= 30 else 0) + 1


@pytest.mark.parametrize("n", [1, 8, 9, 40])
def test_no_two_systems_have_the_same_color(n):
    assert len(set(plots.colors(n))) == n


@pytest.mark.parametrize("D", [1, 2, 3])
@pytest.mark.parametrize("L", [3, 10])
def test_the_truth_is_marked_and_legends_cover_nothing(L, D):
    theta = np.arange(1.0 * L * D).reshape(L, D)
    figure = plots.parameters(theta, 0.01 * np.eye(L * D), 0.95, "", None, theta + 0.5)
    figure.draw_without_rendering()
    axes, (legend,) = figure.axes, figure.legends
    crosses = [line for ax in axes for line in ax.lines if line.get_marker() == "x"]
    assert sum(len(line.get_xdata()) for line in crosses) == (L if D == 2 else L * D)
    assert legend.get_texts()[-1].get_text() == "truth"
    assert len(legend.get_texts()) == (1 + (L if L <= 8 else 0) if D == 2 else 1)  # many systems are not listed
    assert not any(legend.get_window_extent().overlaps(ax.get_window_extent()) for ax in axes)


def test_the_truth_is_in_view_among_paths():
    theta = np.ones((50, 2, 1))
    for ax in plots.paths(np.arange(1, 51), theta, band(1.0, 0.1, 2, 1), ["1"], np.full((2, 1), 3.0)).axes:
        low, high = ax.get_ylim()
        assert low < 1.0
        assert high > 3.0


def test_a_path_that_was_wild_at_first_leaves_the_interval_in_view():
    theta = np.ones((100, 1, 1))
    theta[10:20] = 50.0
    (ax,) = plots.paths(np.arange(1, 101), theta, band(1.0, 0.1, 1, 1), ["1"]).axes
    assert ax.get_ylim()[1] < 2.0


def test_one_set_is_drawn_with_whole_numbers():
    figure = plots.residuals(np.zeros(1), np.ones(1, dtype=np.int64), 0.0, None, "")
    figure.draw_without_rendering()
    assert all("m" not in tick.get_text() for tick in figure.axes[0].get_xticklabels())


def test_intervals_that_are_not_known_are_not_promised():
    (ax,) = plots.parameters(np.array([[1.0], [2.0]]), np.full((2, 2), np.nan), 0.95, "").axes
    assert ax.get_ylabel() == "estimate"


def test_the_truth_of_a_trajectory_is_in_view():
    _, left, _ = plots.two_panels("")
    theta = np.linspace(1.0, 1.1, 100)[:, None] * [1.0, 2.0]
    plots.trajectory(left, np.arange(100), theta, np.array([0.2, 4.0]))
    low, high = left.get_ylim()
    assert low < 0.2
    assert high > 4.0


ODD = ["$", "a_b^2\\", "", "温度 🌡", "x" * 500]


@pytest.mark.parametrize("dim", [2, 5])
def test_any_name_of_a_column_is_drawn(dim):
    theta = np.arange(2.0 * dim).reshape(2, dim)
    path = np.tile(theta, (9, 1, 1))
    numbers = np.arange(1.0, 10.0)
    for name in ODD[:3] if dim > 2 else ODD[3:]:
        names = [name, *ODD][:dim]
        plots.parameters(theta, np.eye(2 * dim), 0.95, "", names).draw_without_rendering()
        plots.paths(np.arange(1, 10), path, np.stack([theta - 1, theta + 1], -1), names).draw_without_rendering()
        plots.residuals(numbers, np.arange(9), 1.0, numbers, name).draw_without_rendering()


def test_long_names_leave_room_for_the_picture():
    theta = np.arange(10.0).reshape(2, 5)
    figure = plots.parameters(theta, np.eye(10), 0.95, "", ["x" * 500] * 5)
    figure.draw_without_rendering()
    assert all(ax.get_position().height > 0.25 and ax.get_position().width > 0.2 for ax in figure.axes[:5])
