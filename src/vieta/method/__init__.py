"""The estimation methods: one file each, found by the registry, which also finds those of other packages."""
