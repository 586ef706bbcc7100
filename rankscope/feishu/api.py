"""What rankscope asks of Feishu; rankscope.feishu.sender does it with lark-oapi."""

from collections.abc import Mapping, Sequence
from typing import Protocol

Content = Mapping[str, object]


class FeishuApi(Protocol):
    """Every call raises a FeishuError of rankscope.feishu.errors."""

    def create(self, chat_id: str, msg_type: str, content: Content, uuid: str) -> str:
        """Send to a chat, or to a person by open_id; return the message id.

        One uuid sends once an hour.
        """

    def reply(
        self, message_id: str, msg_type: str, content: Content, uuid: str, *, in_thread: bool
    ) -> str:
        """Reply to a message and return the reply's message id."""

    def patch(self, message_id: str, content: Content) -> None:
        """Replace the content of a card we sent."""

    def react(self, message_id: str, emoji: str) -> None:
        """Put a reaction under a message."""

    def buzz(self, message_id: str, open_ids: Sequence[str]) -> list[str]:
        """Make people look at a message of ours at once; return those whom Feishu does not know."""

    def upload_image(self, image: bytes) -> str:
        """Upload a picture of at most 10 MB and return its image_key."""

    def upload_file(self, name: str, data: bytes) -> str:
        """Upload a file of at most 30 MB and return its file_key."""

    def user_name(self, open_id: str) -> str:
        """Return a person's name; needs the permission to read contacts."""
