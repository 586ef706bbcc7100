import pytest

from rankscope.chat.roles import may_act
from tests.conftest import MakeSettings


def test_without_roles_everybody_may(make_settings: MakeSettings) -> None:
    assert may_act(make_settings(), "ou_anybody", "oc_any")


@pytest.mark.parametrize(
    ("who", "chat", "owner", "may"),
    [
        ("ou_op", "oc_x", "", True),
        ("ou_admin", "oc_x", "", True),
        ("ou_x", "oc_ops", "", True),
        ("ou_x", "oc_x", "ou_x", True),
        ("ou_x", "oc_x", "ou_y", False),
        ("ou_x", "oc_x", "", False),
        ("", "", "", False),
    ],
)
def test_operators_admins_their_chats_and_the_owner_may(
    make_settings: MakeSettings, who: str, chat: str, owner: str, *, may: bool
) -> None:
    settings = make_settings(operators="ou_op, oc_ops,", admins="ou_admin")

    assert may_act(settings, who, chat, owner) is may


def test_admins_alone_shut_out_everybody_else(make_settings: MakeSettings) -> None:
    assert not may_act(make_settings(admins="ou_admin"), "ou_x", "oc_x")
