"""What is said about a result: tables, pages, JSON."""
