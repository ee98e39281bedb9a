"""What runs the studies: their interface, what code they depend on, kept results, progress, and stamps on what they write."""
