"""Messages, reactions and chats as the open platform returns them."""

from sandbox.feishu.model import Chat, Message, Person, Reaction
from sandbox.feishu.world import TENANT_KEY, World

Json = dict[str, object]
RECALLED = '{"text":"This message was recalled"}'


def message_json(message: Message, world: World, app_id: str) -> Json:
    """Return a message as create, reply, update and get return it."""
    from_app = message.sender_type == "app"
    shape: Json = {
        "message_id": message.message_id,
        "msg_type": message.msg_type,
        "create_time": str(message.created_ms),
        "update_time": str(message.updated_ms),
        "deleted": message.recalled,
        "updated": message.updated,
        "chat_id": message.chat_id,
        "sender": {
            "id": app_id if from_app else message.sender,
            "id_type": "app_id" if from_app else "open_id",
            "sender_type": message.sender_type,
            "tenant_key": TENANT_KEY,
        },
        "body": {"content": RECALLED if message.recalled else message.content},
    }
    for key in ("root_id", "parent_id", "thread_id"):
        if value := getattr(message, key):
            shape[key] = value
    if message.mentions:
        shape["mentions"] = [
            {
                "key": mention.key,
                "id": mention.open_id,
                "id_type": "open_id",
                "name": world.people[mention.open_id].name,
                "tenant_key": TENANT_KEY,
            }
            for mention in message.mentions
        ]
    return shape


def reaction_json(reaction: Reaction, operator: Person, app_id: str) -> Json:
    """Return a reaction."""
    return {
        "reaction_id": reaction.reaction_id,
        "operator": {
            "operator_id": app_id if operator.is_bot else operator.open_id,
            "operator_type": "app" if operator.is_bot else "user",
        },
        "action_time": str(reaction.at_ms),
        "reaction_type": {"emoji_type": reaction.emoji},
    }


def chat_json(chat: Chat) -> Json:
    """Return a chat as the list of chats and the chat page have it."""
    return {
        "chat_id": chat.chat_id,
        "avatar": "",
        "name": chat.name,
        "description": "",
        "external": False,
        "tenant_key": TENANT_KEY,
        "chat_mode": chat.chat_type,
        "chat_status": "normal",
    }
