"""What pytest leaves alone: modules behind an extra that is not installed, which cannot be imported for their doctests."""

from importlib.util import find_spec

BEHIND = {
    "src/vieta/integrations/stonesoup.py": "stonesoup",
    "src/vieta/integrations/xarray.py": "xarray",
    "src/vieta/page/gate.py": "starlette",
    "src/vieta/page/application.py": "starlette",
    "src/vieta/page/serving.py": "uvicorn",
}

collect_ignore = [path for path, package in BEHIND.items() if find_spec(package) is None]
