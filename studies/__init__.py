"""Long studies, run by `python -m studies`: each module here is one, but for `running`, which runs them.

A study is a module or a package with a `STUDY` (`studies.running.study.Study`); a new one is one new file.
"""
