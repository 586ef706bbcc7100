"""Who may act: operators and admins of the settings, and the job's owner. Everybody may look.

With neither operators nor admins in the settings everybody may act: the people of a chat trust each
other until somebody says otherwise.
"""

from rankscope.settings import Settings


def may_act(settings: Settings, who: str, chat_id: str, owner: str = "") -> bool:
    """Whether a person, in a chat, may capture, silence and acknowledge a job of this owner.

    who is an open_id; a job's owner counts where its events give the owner as an open_id.
    """
    named = _named(settings.operators) | _named(settings.admins)
    if not named:
        return True
    return who in named or chat_id in named or bool(who and who == owner)


def _named(listed: str) -> frozenset[str]:
    return frozenset(filter(None, (name.strip() for name in listed.split(","))))
