"""Files in: unlabeled sets from CSV, NDJSON and Parquet, with every row accounted for.

>>> import tempfile, pathlib
>>> with tempfile.TemporaryDirectory() as folder:
...     path = pathlib.Path(folder) / "records.csv"
...     _ = path.write_text("set,y,psi\\n1,2.0,1.0\\n1,4.0,1.0\\n2,7.9,2.0\\n2,4.1,2.0\\n")
...     with reader([str(path)]) as records:
...         block = records.all()
>>> block.data.sets[:, :, 0], block.data.inputs
(array([[2. , 4. ], [7.9, 4.1]]), array([1., 2.]))
"""

from vieta.errors import BadFileError
from vieta.files.assemble import Block
from vieta.files.layout import Layout, Wishes
from vieta.files.reader import Reader, reader

__all__ = ["BadFileError", "Block", "Layout", "Reader", "Wishes", "reader"]
