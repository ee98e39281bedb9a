"""Findings about the installation: kernels, packages, folders, encodings."""

from vieta.findings.kind import Kind

INSTALLATION_KINDS: dict[str, Kind] = {
    "kernels-temporary": Kind(
        "caution",
        "Compiled kernels are kept in a folder for temporary files.",
        "Compiled kernels are kept in {path}, which the system may empty: neither the folder of the package nor a cache folder of this "
        "user can be written. Set {variable} to a folder that can.",
    ),
    "kernels-not-kept": Kind(
        "caution",
        "Compiled kernels cannot be kept.",
        "Compiled kernels cannot be kept, and every run compiles them again: no folder for them can be written. Set {variable} to one "
        "that can.",
    ),
    "kernels-not-compiled": Kind(
        "note",
        "Some kernels are not compiled yet.",
        "{missing} of {known} kernels are not compiled yet. The first run that needs one compiles it, and takes longer.",
    ),
    "packages-missing": Kind(
        "caution",
        "A package that the command or the library needs is not installed.",
        "Not installed: {packages}. Install {requirement}.",
    ),
    "no-temporary-folder": Kind(
        "caution",
        "No folder for temporary files can be written.",
        "No folder for temporary files can be written. Set TMPDIR to one that can.",
    ),
    "narrow-encoding": Kind(
        "note",
        "Text is not written as UTF-8.",
        "Text is written as {encoding}, which does not have every character. Set PYTHONUTF8=1, or a locale with UTF-8.",
    ),
}
