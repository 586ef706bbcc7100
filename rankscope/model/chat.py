"""What people do in the channel, freed of Feishu's envelopes."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """A message addressed to the bot; text has lost the mention of the bot itself."""

    message_id: str
    chat_id: str
    chat_type: str  # "group" or "p2p"
    sender: str  # open_id
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuChoice:
    """An item of the bot's own menu that somebody chose in the private chat with it."""

    event_id: str
    key: str
    operator: str  # open_id; Feishu does not tell the chat


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """A pressed button: what it does, on which incident, and which revision was on the card.

    option is what was chosen in a list, form what was filled in beside the button, by name.
    """

    event_id: str
    action: str
    incident_id: str
    revision: int
    operator: str  # open_id
    message_id: str
    chat_id: str
    option: str = ""
    form: dict[str, str] = field(default_factory=dict)
