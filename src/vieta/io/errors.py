"""The error for a file that cannot be used, and words about bad sets."""


class BadFileError(ValueError):
    """A file cannot be read as unlabeled sets; the message says where, why, and what to do."""


WRONG_COUNT = "a wrong number of readings"
REPAIR = "Repair the file, or leave such sets out with --on-bad-set drop."
