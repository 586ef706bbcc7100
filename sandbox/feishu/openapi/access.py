"""Finding what a call names, with the platform's refusals."""

from sandbox.feishu.codes import ApiError
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.model import Chat, Message


def receiver(emulator: Emulator, id_type: str, receive_id: str) -> Chat:
    """Return the chat that a receive_id means; raises ApiError."""
    world = emulator.world
    if id_type == "chat_id":
        chat = world.chats.get(receive_id)
        if chat is None:
            raise ApiError(230034, f"chat_id {receive_id!r}")
        return inside(chat)
    if id_type not in {"open_id", "user_id", "union_id", "email"}:
        raise ApiError(230001, f"receive_id_type {id_type!r} is not valid")
    for person in world.humans:
        if id_type != "email" and getattr(person, id_type) == receive_id:
            chat = world.private_chat(person.open_id)
            if chat is not None:
                return chat
    raise ApiError(230013 if id_type == "open_id" else 230034, f"{id_type} {receive_id!r}")


def inside(chat: Chat) -> Chat:
    """Return a chat when the bot is in it; raises ApiError 230002."""
    if not chat.bot_inside:
        raise ApiError(230002)
    return chat


def message(emulator: Emulator, message_id: str, missing: int = 230001) -> Message:
    """Return a message in a chat of the bot; raises ApiError with the code for a missing one."""
    found = emulator.world.messages.get(message_id)
    if found is None:
        ext = f"invalid message_id {message_id!r}" if missing == 230001 else ""
        raise ApiError(missing, ext)
    inside(emulator.world.chat(found.chat_id))
    return found


def standing(emulator: Emulator, message_id: str, recalled: int = 230011) -> Message:
    """Return a message that was not recalled; raises ApiError."""
    found = message(emulator, message_id)
    if found.recalled:
        raise ApiError(recalled)
    return found


def own(emulator: Emulator, message_id: str, not_own: int) -> Message:
    """Return a message that the bot sent and did not recall; raises ApiError."""
    found = standing(emulator, message_id)
    if found.sender_type != "app":
        raise ApiError(not_own, "not sent by this app" if not_own == 230001 else "")
    return found
