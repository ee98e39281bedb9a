"""Studies are found by listing the folder."""

import re
from pathlib import Path

import studies
from studies.running.study import every

FOLDER = Path(studies.__file__).parent


def test_every_module_of_the_folder_is_a_study_under_its_name():
    here = {path.stem for path in FOLDER.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert {name.replace("-", "_") for name in every()} == here - {"__init__", "__main__", "running"}
    assert all(re.fullmatch(r"[a-z-]+", name) for name in every())


def test_a_study_with_a_title_is_complete_and_its_tasks_are_distinct():
    for study in every().values():
        assert study.runs > 0
        if study.title:
            tasks = study.tasks(study.runs)
            assert study.note
            assert len({str(task) for task in tasks}) == len(tasks) > 1
            assert set(study.tasks(2)) != set(tasks)
