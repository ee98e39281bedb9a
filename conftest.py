"""What pytest leaves alone: modules behind an extra that is not installed, which cannot be imported for their doctests."""

from importlib.util import find_spec

BEHIND = {"stonesoup": "src/vieta/integrations/stonesoup.py"}

collect_ignore = [path for package, path in BEHIND.items() if find_spec(package) is None]
