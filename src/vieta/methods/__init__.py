"""The estimation methods, one file each, and the registry that knows them."""
