import subprocess
import sys

import vieta


def test_the_public_names_exist_and_are_few():
    assert len(vieta.__all__) <= 25
    assert all(hasattr(vieta, name) for name in vieta.__all__)


def test_import_leaves_the_heavy_packages_alone():
    code = "import sys, vieta; print({'numba', 'scipy', 'matplotlib', 'polars', 'click'} & set(sys.modules))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "set()"


FIT = """
import sys, numpy as np, vieta
psi = np.random.default_rng(0).normal(size=500)
noise = 0.3 * np.random.default_rng(1).normal(size=(500, 3))
estimate = vieta.fit(np.outer(psi, [1.0, 1.5, 4.0]) + noise, psi)
estimate.conf_int()
print({"scipy.special", "scipy.optimize", "scipy.linalg", "matplotlib", "polars"} & set(sys.modules))
"""


def test_a_small_fit_leaves_what_takes_long_to_import_alone():
    for _ in range(2):  # the first may compile
        output = subprocess.run([sys.executable, "-c", FIT], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "set()"
