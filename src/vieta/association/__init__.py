"""Which reading of a set belongs to which system: the kernels."""
