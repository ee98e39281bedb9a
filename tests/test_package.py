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
