"""Where passes run that do not run here: an engine a file, behind the extra of its own."""
