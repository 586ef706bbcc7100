import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from rankscope.errors import UnusableInput
from rankscope.model.capture import NcclOutcome
from rankscope.nccl.asked import ask_for, belongs, read_reply
from rankscope.nccl.client import Limits, ask, parse_address
from rankscope.nccl.model import Reason
from tests.nccl.answers import Job, world
from tests.nccl.jobs import HEALTHY, ONE_BEHIND, of_version
from tests.nccl.ras_server import Behaviour, free_port, serving

QUICK = Limits(connect_s=2, handshake_s=0.2, tries=3, silence_s=0.3, total_s=10)


def test_a_new_server_is_asked_in_json_and_with_four_commands_only() -> None:
    with serving(ONE_BEHIND) as (server, port):
        reply = ask("127.0.0.1", port, limits=QUICK)

    assert (reply.outcome, reply.format, reply.tries) == (NcclOutcome.ANSWERED, "json", 1)
    assert read_reply(reply).communicators[0].hash == "0000000000007a11"
    assert server.commands == ["CLIENT PROTOCOL 2", "TIMEOUT 5", "SET FORMAT json", "STATUS"]


@pytest.mark.parametrize("version", ["2.24.3", "2.26.3", "2.28.3"])
def test_an_old_server_is_asked_in_text(version: str) -> None:
    with serving(of_version(ONE_BEHIND, version)) as (_, port):
        reply = ask("127.0.0.1", port, limits=QUICK)

    answer = read_reply(reply)
    assert reply.format == answer.format == "text"
    assert answer.reliable
    assert answer.communicators[0].behind == (5,)


def test_text_can_be_preferred() -> None:
    with serving(HEALTHY) as (server, port):
        reply = ask("127.0.0.1", port, prefer="text", limits=QUICK)

    assert reply.format == "text"
    assert "SET FORMAT json" not in server.commands


def test_a_server_that_listens_on_ipv6_only_is_found_by_the_name_localhost() -> None:
    with serving(HEALTHY, host="::1") as (_, port):
        reply = ask("localhost", port, limits=QUICK)

    assert (reply.outcome, reply.address) == (NcclOutcome.ANSWERED, "::1")


def test_a_frozen_process_may_take_the_connection_and_the_next_one_answers() -> None:
    with serving(HEALTHY, behaviour=Behaviour(frozen_times=2)) as (server, port):
        reply = ask("127.0.0.1", port, limits=QUICK)

    assert (reply.outcome, reply.tries) == (NcclOutcome.ANSWERED, 3)
    assert read_reply(reply).handshake_retries == 2
    assert server.connections == 3


def test_a_job_that_is_frozen_as_a_whole_is_given_up_after_bounded_tries() -> None:
    with serving(HEALTHY, behaviour=Behaviour(frozen_times=99)) as (server, port):
        reply = ask("127.0.0.1", port, limits=QUICK)

    assert (reply.outcome, reply.reason) == (NcclOutcome.FROZEN, Reason.FROZEN)
    assert server.connections == QUICK.tries


def test_a_reset_during_the_handshake_is_tried_again() -> None:
    with serving(HEALTHY, behaviour=Behaviour(reset_times=1)) as (_, port):
        assert ask("127.0.0.1", port, limits=QUICK).outcome is NcclOutcome.ANSWERED


def test_a_reset_that_comes_while_connecting_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connect, resets = socket.socket.connect, [ConnectionResetError(104, "Connection reset by peer")]

    def reset_once(own: socket.socket, address: tuple[str, int]) -> None:
        if resets:
            raise resets.pop()
        connect(own, address)

    with serving(HEALTHY) as (_, port):
        monkeypatch.setattr(socket.socket, "connect", reset_once)
        reply = ask("127.0.0.1", port, limits=QUICK)

    assert (reply.outcome, reply.tries) == (NcclOutcome.ANSWERED, 2)


def test_nobody_listening_is_refused_at_once() -> None:
    reply = ask("127.0.0.1", free_port(), limits=QUICK)

    assert (reply.outcome, reply.reason, reply.tries) == (NcclOutcome.REFUSED, Reason.REFUSED, 1)


def test_a_name_without_an_address_is_said_to_be_unresolved() -> None:
    reply = ask("no-such-host.invalid", 28028, limits=QUICK)

    assert (reply.outcome, reply.reason) == (NcclOutcome.REFUSED, Reason.UNRESOLVED)


@pytest.mark.parametrize(
    "behaviour", [Behaviour(hello="SSH-2.0-OpenSSH_9.6"), Behaviour(endless_line=True)]
)
def test_another_service_on_the_port_is_recognised(behaviour: Behaviour) -> None:
    with serving(HEALTHY, behaviour=behaviour) as (server, port):
        reply = ask("127.0.0.1", port, limits=QUICK)

    assert (reply.outcome, reply.reason) == (NcclOutcome.UNSUPPORTED, Reason.NOT_RAS)
    assert "STATUS" not in server.commands


@pytest.mark.parametrize("version", ["2.24.3", "2.30.7"])
@pytest.mark.parametrize("cut_at", [0, 1, 200, 400])
def test_a_server_that_dies_within_its_answer_yields_no_finding(version: str, cut_at: int) -> None:
    with serving(of_version(ONE_BEHIND, version), behaviour=Behaviour(cut_at=cut_at)) as (_, port):
        answer = read_reply(ask("127.0.0.1", port, limits=QUICK))

    assert answer.outcome is NcclOutcome.CUT
    assert not answer.reliable


def test_an_answer_in_slow_pieces_is_read_to_its_end() -> None:
    with serving(ONE_BEHIND, behaviour=Behaviour(slow_s=0.01, piece_bytes=400)) as (_, port):
        assert read_reply(ask("127.0.0.1", port, limits=QUICK)).reliable


def test_silence_after_the_question_is_bounded_and_not_taken_for_an_answer() -> None:
    with serving(ONE_BEHIND, behaviour=Behaviour(silent=True)) as (server, port):
        reply = ask("127.0.0.1", port, limits=QUICK)

    answer = read_reply(reply)
    assert reply.reason is Reason.SILENT
    assert (answer.outcome, answer.reliable) == (NcclOutcome.CUT, False)
    assert answer.communicators == ()
    assert server.commands.count("STATUS") == 1


def test_silence_without_a_byte_means_a_frozen_server() -> None:
    with serving(ONE_BEHIND, behaviour=Behaviour(cut_at=0, silent=True)) as (_, port):
        answer = read_reply(ask("127.0.0.1", port, limits=QUICK))

    assert (answer.outcome, answer.reason) == (NcclOutcome.FROZEN, Reason.SILENT)


def test_a_trickle_of_bytes_does_not_outlast_the_whole_time() -> None:
    trickle = Behaviour(slow_s=0.1, piece_bytes=1)
    limits = Limits(handshake_s=1, total_s=0.5)
    with serving(ONE_BEHIND, behaviour=trickle) as (_, port):
        reply = ask("127.0.0.1", port, limits=limits)

    assert reply.reason is Reason.SILENT


def test_an_answer_beyond_the_size_cap_is_dropped() -> None:
    with serving(HEALTHY) as (_, port):
        reply = ask("127.0.0.1", port, limits=Limits(max_bytes=2000))

    assert (reply.reason, reply.raw) == (Reason.TOO_LARGE, b"")
    assert read_reply(reply).outcome is NcclOutcome.CUT


def test_the_caller_may_enter_a_network_namespace_where_sockets_are_made() -> None:
    entered: list[str] = []

    @contextmanager
    def enter() -> Iterator[None]:
        entered.append("in")
        yield
        entered.append("out")

    with serving(HEALTHY) as (_, port):
        ask("127.0.0.1", port, limits=QUICK, enter=enter)

    assert entered == ["in", "out"]


def strangers() -> Job:
    whole = world(per_node=2, name=0x0DD)
    members = tuple(replace(member, pid=member.pid + 9000) for member in whole.members)
    return Job((replace(whole, members=members),))


def test_of_several_jobs_on_one_port_the_one_with_our_pids_is_taken() -> None:
    ours = {4000 + rank for rank in range(8)}
    other = strangers()
    with serving(other, other, HEALTHY) as (server, port):
        reply, answer = ask_for(ours, lambda: ask("127.0.0.1", port, limits=QUICK))

    assert reply.outcome is NcclOutcome.ANSWERED
    assert belongs(answer, ours) is True
    assert server.connections == 3


def test_when_only_another_job_answers_that_is_said_after_four_questions() -> None:
    with serving(HEALTHY) as (server, port):
        reply, answer = ask_for({1, 2}, lambda: ask("127.0.0.1", port, limits=QUICK))

    assert (answer.outcome, answer.reason) == (NcclOutcome.CUT, Reason.OTHER_JOB)
    assert reply.reason is Reason.OTHER_JOB
    assert server.connections == 4


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("localhost:28028", ("localhost", 28028)),
        ("10.0.0.1:1", ("10.0.0.1", 1)),
        ("[::1]:28028", ("::1", 28028)),
        ("[fe80::1%eth0]:65535", ("fe80::1%eth0", 65535)),
    ],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text",
    ["", "localhost", ":28028", "::1:28028", "host:", "host:0", "host:65536", "host:²", "[a]:1x"],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UnusableInput):
        parse_address(text)


def test_a_host_without_ipv6_still_reaches_ipv4(monkeypatch: pytest.MonkeyPatch) -> None:
    make = socket.socket

    def without_ipv6(family: int = -1, *args: int, **kwargs: int) -> socket.socket:
        if family == socket.AF_INET6:
            raise OSError(97, "Address family not supported by protocol")
        return make(family, *args, **kwargs)

    with serving(HEALTHY) as (_, port):
        monkeypatch.setattr(socket, "socket", without_ipv6)
        reply = ask("localhost", port, limits=QUICK)

    assert reply.outcome is NcclOutcome.ANSWERED
