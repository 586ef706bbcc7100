"""Draw a card from its template and check that JSON came out."""

import json
from functools import partial

from rankscope.cards.budget import Card
from rankscope.cards.escape import escape_markdown, plain
from rankscope.errors import ConfigurationError
from rankscope.model.text import Language
from rankscope.templating import templates
from rankscope.text import say

TEXT_CHARS = 2000
"""Far above what the budget lets through; templates need not repeat its limits."""


def render(template: str, language: Language, **context: object) -> Card:
    """Return the card that templates/cards/`template` gives; raises ConfigurationError.

    A template has `t(id, …)` for catalogue sentences, `md(text)` for foreign text inside markdown
    and `plain(text)` for foreign text elsewhere.
    """

    def say_it(message_id: str, **parameters: object) -> str:
        return say(message_id, **parameters).of(language)

    helpers = {"t": say_it, "md": partial(escape_markdown, limit=TEXT_CHARS), "plain": plain}
    text = templates().get_template(f"cards/{template}").render(helpers | context)
    try:
        card: Card = json.loads(text)
    except ValueError as error:
        raise ConfigurationError(
            f"The template cards/{template} does not give JSON: {error}.",
            "Correct it in RANKSCOPE_TEMPLATES_DIR, or remove it there.",
        ) from None
    return card
