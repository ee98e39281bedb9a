import numpy as np
import pytest
from matplotlib.figure import Figure

from vieta import plots


@pytest.mark.parametrize("D", [1, 2, 3])
def test_parameters_shows_every_system(D):
    theta = np.arange(3.0 * D).reshape(3, D)
    figure = plots.parameters(theta, 0.01 * np.eye(3 * D), 0.95, "title")
    assert isinstance(figure, Figure)
    (ax,) = figure.axes
    drawn = ax.lines if D == 2 else ax.containers
    assert len(drawn) == 3


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
