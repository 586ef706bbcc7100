"""Everybody may look; who may act is a matter of roles, and who may not is told why.

Each role with each command and each button, and what the audit trail keeps of it.
"""

from dataclasses import dataclass

import pytest

from bot.clicks import ACTIONS
from rankscope.chat.commands import Act, ChooseLanguage, Subscribe
from rankscope.chat.parsing import COMMANDS, parse
from rankscope.incidents.audit import deeds_of
from rankscope.model.state import Deed
from sandbox.feishu.model import stable_id
from tests.scenarios.rig import (
    ADMIN,
    OPERATOR,
    OPERATORS_CHAT,
    OWNER,
    TEAM,
    VIEWER,
    Rig,
    open_id,
)
from tests.scenarios.test_each_button import BUTTONS
from tests.scenarios.test_each_command import WORDS


@dataclass(frozen=True, slots=True)
class Role:
    """Who somebody is, and where; of is what the role holds for."""

    name: str
    who: str
    chat: str
    acts_on_jobs: bool
    acts_on_chats: bool


ROLES = (
    Role("viewer", VIEWER, TEAM, acts_on_jobs=False, acts_on_chats=False),
    Role("operator", OPERATOR, TEAM, acts_on_jobs=True, acts_on_chats=True),
    Role("in the operators' chat", VIEWER, OPERATORS_CHAT, acts_on_jobs=True, acts_on_chats=True),
    Role("owner", OWNER, TEAM, acts_on_jobs=True, acts_on_chats=False),
    Role("admin", ADMIN, TEAM, acts_on_jobs=True, acts_on_chats=True),
)


def _allowed(role: Role, text: str) -> bool:
    command = parse(text)
    if isinstance(command, ChooseLanguage | Subscribe):
        return role.acts_on_chats
    return role.acts_on_jobs or not isinstance(command, Act)


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_command_is_done_or_refused_with_the_reason(rig: Rig, role: Role) -> None:
    rig.reported()
    for name in COMMANDS:
        rig.apps.emulator.client.skip(2)
        text = f"/{name} {WORDS[name][0]}".strip()
        before = _noted(rig)

        said = rig.ask(text, chat=stable_id("oc", role.chat), user=role.who)

        noted, allowed = _noted(rig)[len(before) :], _allowed(role, text)
        assert ("You may not" in said) is not allowed, said
        if isinstance(parse(text), Act):
            [deed] = noted
            assert deed.who == open_id(role.who)
            assert (deed.outcome == "refused") is not allowed
        else:
            assert noted == []


def _noted(rig: Rig) -> list[Deed]:
    """Return what is on record of the job and of chats, oldest first."""
    found = [deed for job_id in ("jo-1", "-") for deed in deeds_of(rig.state, job_id)]
    return sorted(found, key=lambda deed: deed.at)


@pytest.mark.parametrize(("text", "who"), [("/silence jo-1", "owner"), ("/lang en", "Operators")])
def test_who_is_refused_hears_who_may(rig: Rig, text: str, who: str) -> None:
    rig.reported()
    said = rig.ask(text, user=VIEWER)

    assert who in said
    assert ("owner" in said) is (who == "owner")  # Of a chat there is no owner.


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
@pytest.mark.parametrize("act", sorted(ACTIONS))
def test_a_click_is_done_or_refused_with_the_reason(rig: Rig, role: Role, act: str) -> None:
    rig.reported(chat_id=stable_id("oc", role.chat))
    button, filled = BUTTONS[act]

    answer = rig.press(button, chat=stable_id("oc", role.chat), user=role.who, **filled)
    rig.work()

    assert answer.toast is not None
    i18n = answer.toast["i18n"]
    assert isinstance(i18n, dict)
    if role.acts_on_jobs:
        assert answer.toast["type"] == "success"
    else:
        assert (answer.toast["type"], answer.card) == ("warning", None)
        assert "operators" in i18n["en_us"]
        assert "值班" in i18n["zh_cn"] or "权限" in i18n["zh_cn"] or "运维" in i18n["zh_cn"]
    [deed] = deeds_of(rig.state, "jo-1")
    assert (deed.outcome == "refused") is not role.acts_on_jobs


@pytest.mark.parametrize("text", ["/lang en", "/subscribe jo-1"])
def test_in_a_private_chat_everybody_chooses(rig: Rig, text: str) -> None:
    rig.reported()

    assert "operators" not in rig.ask(text, chat=rig.private(VIEWER), user=VIEWER)
