from rankscope.incidents import handle_event
from rankscope.incidents.language import choose_language, language_in
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.incidents.conftest import CHAT, event, replies


def test_a_chat_reads_what_it_chose(state: State) -> None:
    assert language_in(state, CHAT, "zh") == "zh"
    choose_language(state, CHAT, "en")

    assert language_in(state, CHAT, "zh") == "en"
    assert language_in(state, "oc_other", "zh") == "zh"


def test_replies_below_a_card_are_in_the_language_of_its_chat(
    running: State, settings: Settings
) -> None:
    choose_language(running, CHAT, "en")
    handle_event(running, event("job.hang"), settings)
    handle_event(running, event("job.resumed", 1), settings)

    assert "Training makes progress again" in replies(running)["resumed"]
