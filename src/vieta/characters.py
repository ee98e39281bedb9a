"""Foreign text - names of columns, files, sets - made fit to be shown: what cannot be seen as its escape, and not too long."""

LONGEST = 60  # characters of a name in a table or a picture


def visible(text: str) -> str:
    r"""The text with an escape for every character that is not printed: it would control the terminal, or hide.

    Line ends, tabs, C0 and C1 controls, marks that turn the direction of writing, spaces without width, lone surrogates.

    >>> visible("a\x1b[2J\nb"), visible("\u202eabc"), visible("Temperatur °C")
    ('a\\x1b[2J\\nb', '\\u202eabc', 'Temperatur °C')
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def short(text: str, longest: int = LONGEST) -> str:
    """The text as `visible` has it, its middle left out if it is longer than that.

    >>> short("temperature", 7)
    'tem…ure'
    """
    seen = visible(text[: longest + 1] + text[longest + 1 :][-longest:])
    if len(seen) <= longest:
        return seen
    end = (longest - 1) // 2
    return f"{seen[: longest - 1 - end]}…{seen[len(seen) - end :]}"
