"""Types of what vieta uses of Stone Soup, which has none of its own."""
