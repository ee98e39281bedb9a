"""The local web page: one server on this machine alone, for one user, with the rooms below behind it.

What the page can do is handed to it as tasks (`vieta.page.workers`) by the command, which knows the flags; the page knows none.
"""
