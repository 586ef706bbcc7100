import json

from rankscope.nccl.findings import Kind
from rankscope.nccl.read import read_answer
from rankscope.nccl.verdict import judge

HEAD = "RAS Monitor Mode - watching for peer changes (Ctrl+C to exit)...\n" + "=" * 64 + "\n"
TEXT = """\
[2026-03-04 05:06:07] PEER_NEW: Process 4005 on node 10.0.0.2 managing GPU 1 \n\
[2026-03-04 05:06:17] PEER_UNRESPONSIVE: Process 4005 on node 10.0.0.2 managing GPU 1 no reply
[2026-03-04 05:06:18] PEER_CONNECTING: 10.0.0.2<35689> outgoing
[2026-03-04 05:07:07] PEER_DEAD: Process 4005 on node 10.0.0.2 managing GPUs 1,2 (NVML 5,6) \n\
"""


def event(name: str, **peer: object) -> str:
    shown = {"timestamp": "2026-03-04 05:06:07", "group": "TRACE", "event": name, "peer": peer}
    return json.dumps({**shown, "details": "why"}, indent=2)


def test_events_in_text() -> None:
    answer = read_answer(HEAD + TEXT)

    assert [one.event for one in answer.events] == [
        "PEER_NEW",
        "PEER_UNRESPONSIVE",
        "PEER_CONNECTING",
        "PEER_DEAD",
    ]
    assert answer.events[1].details == "no reply"
    assert (answer.reliable, answer.unknown_lines) == (True, ())


def test_events_in_json_follow_each_other() -> None:
    process = event("PEER_DEAD", host="10.0.0.2", pid=4005, cuda_devs=[1], nvml_devs=[1])
    answer = read_answer(f"{process}\n{event('PEER_CONNECTING', addr='10.0.0.2<1>')}\n")

    assert [one.where for one in answer.events] == [
        "Process 4005 on node 10.0.0.2 managing GPU 1",
        "10.0.0.2<1>",
    ]


def test_events_are_no_status() -> None:
    verdict = judge(read_answer(TEXT))

    assert verdict.kind is Kind.EVENTS
    assert "PEER_DEAD" in verdict.line.en
    assert "STATUS" in verdict.next_steps[0].en


def test_cut_events() -> None:
    answer = read_answer(TEXT[:-30])
    data = read_answer(event("PEER_DEAD", addr="x")[:60])

    assert (len(answer.events), answer.reliable) == (3, False)
    assert not data.reliable
