"""Messages together with the HTML that a reader sees."""

from rankscope.model.text import Language
from rankscope.text import say
from sandbox.feishu.model import Message
from sandbox.feishu.render import render_message
from sandbox.feishu.render_markdown import Names
from sandbox.feishu.render_parts import Look
from sandbox.feishu.views import MessageView, message_view, preview
from sandbox.feishu.world import World


def look_for(world: World, language: Language) -> Look:
    """Return how a reader of a language sees things."""
    names = {open_id: person.name for open_id, person in world.people.items()}
    everybody = say("emulator-everybody").of(language)
    return Look(Names(names, everybody), language)


def rendered(message: Message, world: World, look: Look, *, html: bool) -> MessageView:
    """Return a message, with its HTML when wanted."""
    view = message_view(message, world)
    if not html:
        return view
    parent = world.messages.get(message.parent_id)
    quoted = f"{world.people[parent.sender].name}: {preview(parent, world)}" if parent else ""
    return message_view(message, world, str(render_message(view, look, quoted)))
