"""All that exists in the emulator: people, chats, messages and uploads."""

from dataclasses import dataclass
from typing import Final

from rankscope.errors import NotFound
from sandbox.feishu.clock import Clock
from sandbox.feishu.feed import Feed
from sandbox.feishu.model import Chat, Mention, Message, Person, new_id, stable_id
from sandbox.feishu.options import Options
from sandbox.feishu.uploads import Uploads

TENANT_KEY: Final = "rankscope-tenant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A message about to be posted."""

    chat_id: str
    sender: Person
    msg_type: str
    content: str
    mentions: tuple[Mention, ...] = ()
    parent: Message | None = None
    in_thread: bool = False


class World:
    """The state behind the API and the page; lookups by people raise NotFound."""

    def __init__(self, options: Options, clock: Clock, feed: Feed) -> None:
        self._options = options
        self._clock = clock
        self._feed = feed
        self.bot = Person(stable_id("ou", options.app_id), options.bot_name, is_bot=True)
        self.people: dict[str, Person] = {}
        self.chats: dict[str, Chat] = {}
        self.messages: dict[str, Message] = {}
        self.uploads = Uploads()
        self.reset()

    def reset(self) -> None:
        """Go back to the first state: the configured groups, the people, no messages."""
        self.people = {self.bot.open_id: self.bot}
        for named in self._options.people:
            name, _, role = named.partition("=")
            person = Person(stable_id("ou", name), name, role=role)
            self.people[person.open_id] = person
        self.chats.clear()
        self.messages.clear()
        self.uploads = Uploads()
        for name in self._options.chats:
            self.add_group(name)
        for person in self.humans:
            chat_id = stable_id("oc", f"p2p:{person.open_id}")
            self.chats[chat_id] = Chat(chat_id, person.name, "p2p", [person.open_id])
        self._feed.tell("reset")

    @property
    def humans(self) -> tuple[Person, ...]:
        """Everybody but the bot."""
        return tuple(person for person in self.people.values() if not person.is_bot)

    def add_group(self, name: str, *, bot_inside: bool = True) -> Chat:
        """Create a group of everybody; the same name gives the same id."""
        chat_id = stable_id("oc", name)
        members = [person.open_id for person in self.humans]
        chat = Chat(chat_id, name, "group", members, bot_inside)
        self.chats[chat_id] = chat
        self._feed.tell("chats", chat_id)
        return chat

    def chat(self, chat_id: str) -> Chat:
        """Return a chat."""
        if chat_id not in self.chats:
            raise NotFound(
                f"There is no chat {chat_id}.", "GET /emulator/api/chats lists the chats."
            )
        return self.chats[chat_id]

    def private_chat(self, open_id: str) -> Chat | None:
        """Return a person's chat with the bot."""
        mine = [open_id]
        private = (chat for chat in self.chats.values() if chat.chat_type == "p2p")
        return next((chat for chat in private if chat.members == mine), None)

    def message(self, message_id: str) -> Message:
        """Return a message."""
        if message_id not in self.messages:
            raise NotFound(f"There is no message {message_id}.")
        return self.messages[message_id]

    def messages_of(self, chat_id: str) -> list[Message]:
        """Return a chat's messages, oldest first."""
        return [message for message in self.messages.values() if message.chat_id == chat_id]

    def person(self, who: str) -> Person:
        """Find a person by open_id or name; an empty string is the first person."""
        if not who:
            return self.humans[0]
        for person in self.people.values():
            if who in {person.open_id, person.name}:
                return person
        raise NotFound(f"There is nobody called {who}.", "GET /emulator/api/chats lists people.")

    def post(self, draft: Draft) -> Message:
        """Add a message to its chat."""
        now = self._clock.now_ms()
        message = Message(
            message_id=new_id("om"),
            chat_id=draft.chat_id,
            sender=draft.sender.open_id,
            sender_type="app" if draft.sender.is_bot else "user",
            msg_type=draft.msg_type,
            content=draft.content,
            created_ms=now,
            updated_ms=now,
            mentions=draft.mentions,
        )
        if draft.parent is not None:
            self._attach(message, draft.parent, in_thread=draft.in_thread)
        self.messages[message.message_id] = message
        self._feed.tell("message", message.message_id)
        return message

    def _attach(self, message: Message, parent: Message, *, in_thread: bool) -> None:
        root = self.messages[parent.root_id] if parent.root_id else parent
        # A reply to a message inside a thread stays in it; there the parent is always the root.
        stays = bool(parent.thread_id and parent.root_id)
        message.root_id = root.message_id
        message.parent_id = root.message_id if in_thread or stays else parent.message_id
        if in_thread or stays:
            root.thread_id = root.thread_id or new_id("omt")
            message.thread_id = root.thread_id

    def changed(self, message: Message) -> None:
        """Tell the pages that a message looks different now."""
        self._feed.tell("message", message.message_id)
