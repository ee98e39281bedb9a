"""vieta inside other packages: one file for each, behind the extra of its name; nothing here is imported by `import vieta`."""
