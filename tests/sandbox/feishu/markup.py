"""Reading HTML as a browser would, to find what could run."""

from html.parser import HTMLParser

_HARMLESS = """
a article b blockquote br button circle code del details div em figcaption figure form h1 h2 h3 h4
h5 h6 header hr img input label li line ol option p polygon polyline pre rect s section select span
strong summary svg table tbody td text textarea th thead time tr ul
"""
HARMLESS = frozenset(_HARMLESS.split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in HARMLESS:
            self.found.append(tag)
        for name, value in attributes:
            scripted = (value or "").strip().lower().startswith(("javascript:", "data:"))
            foreign = name == "src" and not (value or "").startswith("/")
            if name.startswith("on") or name == "style" or scripted or foreign:
                self.found.append(f"{tag} {name}={value}")


def dangers(html: str) -> list[str]:
    """Return the elements and attributes that have no place on the page."""
    reader = _Reader()
    reader.feed(html)
    return reader.found
