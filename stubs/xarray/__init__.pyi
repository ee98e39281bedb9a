from collections.abc import Hashable, Mapping
from typing import Any

class DataArray:
    dims: tuple[Hashable, ...]
    dtype: Any
    data: Any
    values: Any
    coords: Mapping[Hashable, Any]
    def transpose(self, *dims: Hashable) -> DataArray: ...
    def __getitem__(self, key: Any) -> DataArray: ...

class Dataset:
    sizes: Mapping[Hashable, int]
    coords: Mapping[Hashable, Any]
    variables: Mapping[Hashable, Any]
    def __init__(self, data_vars: Any = ..., coords: Any = ..., attrs: Any = ...) -> None: ...
    def __contains__(self, key: object) -> bool: ...
    def __getitem__(self, key: Any) -> DataArray: ...
