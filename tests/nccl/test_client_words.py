import pytest

from rankscope.model.capture import NcclOutcome
from rankscope.nccl.model import Reason
from rankscope.nccl.read import read_answer
from rankscope.nccl.verdict import judge

ADVICE = """\
Failed to connect to the NCCL RAS service!
Please make sure that the NCCL job has the RAS service enabled and that
"""
HERE = "the RAS client was started on a node where the NCCL job is running.\n"
THERE = "the host/port arguments are correct and match NCCL_RAS_ADDR.\n"
RETRY = "Connection timed out; retrying...\n"
USAGE = """\
Usage: ncclras [OPTION]...
Query the state of a running NCCL job.

Options:
  -h, --host=HOST     Host name or IP address of the RAS client socket of the
                      NCCL job to connect to (localhost by default)
  -v, --verbose       Increase the verbosity level of the RAS output
      --help          Print this help and exit
"""


@pytest.mark.parametrize(
    ("words", "outcome", "reason"),
    [
        (f"Connecting to ::1:28028: Connection refused\n{ADVICE}{HERE}", "refused", "refused"),
        (f"Connecting to 10.1.2.3:5: Connection refused\n{ADVICE}{THERE}", "refused", "refused"),
        (f"{ADVICE}{HERE}exit code: 1\n", "refused", "refused"),
        ("Connecting to 10.1.2.3:28028: No route to host\n", "refused", "unreachable"),
        ("Connecting to 10.1.2.3:28028: Connection timed out\n", "refused", "unreachable"),
        ("Resolving nowhere:28028: Name or service not known\n", "refused", "unresolved"),
        (
            "nc: connect to localhost port 28028 (tcp) failed: Connection refused\n",
            "refused",
            "refused",
        ),
        ("Ncat: Connection refused.\n", "refused", "refused"),
        ("Unexpected response from NCCL: HTTP/1.1 400\n", "unsupported", "not_ras"),
        (
            "NCCL RAS protocol version mismatch (NCCL: 3; RAS client: 2)!\n",
            "unsupported",
            "not_ras",
        ),
        ("NCCL unexpectedly closed the connection\n", "cut", "cut"),
        ("read socket: Connection reset by peer\n", "cut", "cut"),
        (RETRY * 3, "frozen", "frozen"),
        ("Connection timed out\n", "frozen", "frozen"),
        (f"ncclras: invalid option -- 'f'\n{USAGE}", "unsupported", "old_client"),
        (f"{USAGE}", "cut", "no_report"),
        ("NCCL RAS client version 2.30.7\n", "cut", "no_report"),
        ("SERVER PROTOCOL 2\nOK\nERROR: Unknown command HELLO\n", "cut", "no_report"),
        ("exit code: 0\n", "cut", "no_report"),
    ],
)
def test_what_the_client_says(words: str, outcome: str, reason: str) -> None:
    answer = read_answer(words)

    assert (answer.outcome, answer.reason) == (NcclOutcome(outcome), Reason(reason))
    assert answer.unknown_lines == ()
    assert not answer.reliable
    assert judge(answer).line.zh


def test_an_address_that_refuses_counts_less_than_one_that_is_frozen() -> None:
    words = f"Connecting to ::1:28028: Connection refused\n{RETRY}{RETRY}"

    answer = read_answer(words)

    assert (answer.outcome, answer.handshake_retries) == (NcclOutcome.FROZEN, 2)
    assert "retried 2 time(s)" in judge(answer).text.en


def test_the_version_of_the_client_is_kept() -> None:
    assert read_answer("NCCL RAS client version 2.30.7\n").nccl_version == "2.30.7"


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n=======\n\n  A list\n            deep\n      --option\n",
        "step 1\nstep 2\nERROR: Connection refused\nstep 3\n",
    ],
)
def test_other_texts_are_not_taken_for_the_clients(text: str) -> None:
    assert read_answer(text).reason is Reason.FOREIGN


def test_lines_besides_the_clients_are_kept() -> None:
    answer = read_answer("sh: something else\nNcat: Connection refused.\n")

    assert answer.unknown_lines == ("sh: something else",)
