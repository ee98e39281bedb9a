"""The error for a file that cannot be used, and words about bad sets."""


class BadFileError(ValueError):
    """A file cannot be read as unlabeled sets; the message says where, why, and what to do."""


WRONG_COUNT = "a wrong number of readings"
REPAIR = "Repair the file, or leave such sets out with --on-bad-set drop."


def unreadable(name: str, error: Exception) -> BadFileError:
    """The error for a file that polars refuses."""
    return BadFileError(f"{name} cannot be read: {str(error).splitlines()[0]}.")
