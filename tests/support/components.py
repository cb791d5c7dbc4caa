"""Texts that components show."""

THIN = "\u202f"


def children(component):
    found = getattr(component, "children", None)
    return [
        part for part in (found if isinstance(found, list | tuple) else [found]) if part is not None
    ]


def words(component):
    """Join the text of a component and of all components in it, unchanged."""
    if component is None or isinstance(component, str | int | float):
        return str(component if component is not None else "")
    if isinstance(component, list | tuple):
        return "".join(map(words, component))
    return "".join(map(words, children(component)))


def every(component, kind):
    """List all components of a class name, such as `Button`, within a component."""
    parts = component if isinstance(component, list | tuple) else [component]
    found = [part for part in parts if type(part).__name__ == kind]
    return found + [
        one for part in parts if not isinstance(part, str) for one in every(children(part), kind)
    ]


def facts(card):
    """Map label to text of a card's list of facts, with thin spaces as plain spaces."""
    (listing,) = every(card, "Dl")
    texts = [words(part).replace(THIN, " ").strip() for part in listing.children]
    return dict(zip(texts[::2], texts[1::2], strict=True))
