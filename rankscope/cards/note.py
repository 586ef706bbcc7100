"""A plain card for help and other replies."""

from rankscope.cards.budget import Card, fits
from rankscope.cards.escape import plain
from rankscope.cards.headline import Colour
from rankscope.cards.render import render
from rankscope.model.text import Language

TITLE_CHARS = 80


def note_card(title: str, markdown: str, colour: Colour, language: Language) -> Card:
    """Return a card of one text; lines that do not fit are left out at the end, and that is said.

    `markdown` is our own text: whoever puts foreign words into it uses `escape_markdown`.
    """

    def draw(shown: list[str], more: int) -> Card:
        text = "\n".join(shown)
        head = plain(title, TITLE_CHARS)
        return render("note.json.j2", language, title=head, text=text, colour=colour, more=more)

    lines = markdown.splitlines()
    fewest, most = 0, len(lines)
    if fits(draw(lines, 0)):
        return draw(lines, 0)
    while most - fewest > 1:
        middle = (fewest + most) // 2
        if fits(draw(lines[:middle], len(lines) - middle)):
            fewest = middle
        else:
            most = middle
    return draw(lines[:fewest], len(lines) - fewest)
