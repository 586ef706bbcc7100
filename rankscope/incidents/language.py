"""Which language a chat reads: what its people chose with /lang, else that of the settings."""

from rankscope.model.state import ChatChoice, Incident
from rankscope.model.text import Language
from rankscope.store.state import State


def language_in(state: State, chat_id: str, default: Language) -> Language:
    """Return the language of a chat."""
    choice = state.find(ChatChoice, chat_id) if chat_id else None
    return choice.language if choice else default


def language_of(state: State, incident: Incident, default: Language) -> Language:
    """Return the language of an incident's card: /lang, else the routes file, else the default."""
    routed = incident.languages.get(incident.chat_id, default)
    return language_in(state, incident.chat_id, routed)


def choose_language(state: State, chat_id: str, language: Language) -> None:
    """Have everything in a chat said in this language from now on."""
    state.save(ChatChoice(id=chat_id, language=language))
