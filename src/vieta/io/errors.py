"""The error for a file that cannot be used, and what to do about a bad set."""


class BadFileError(ValueError):
    """A file cannot be read as unlabeled sets; the message says where, why, and what to do."""


REPAIR = "Repair the file, or leave such sets out with --on-bad-set drop."
