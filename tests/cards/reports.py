"""Reports as they look in real life, at three sizes."""

from dataclasses import replace

from rankscope.analysis.nccl_status import read_nccl
from rankscope.model.capture import (
    Capture,
    CaptureHeader,
    NcclAnswer,
    NcclOutcome,
    NodeSample,
    Process,
    Role,
)
from rankscope.model.report import (
    Comparison,
    FunctionStatistics,
    Group,
    MissingRank,
    NcclCommunicator,
    NcclRank,
    NcclStatus,
    RankComparison,
    Report,
    Summary,
    Suspect,
    Verdict,
)
from rankscope.model.text import Text
from tests.nccl.jobs import HANG
from tests.nccl.json_answers import as_json

PRINT_ID = "1780890545107774003"
EARLIER = "1780890485107774003"
JOB_ID = "jo-7f3a91c2"
LINK = f"https://rankscope.example.com/captures/{PRINT_ID}?key=WyIxNzgwOCJd.aD0x.c2ln"

ALL_REDUCE = (
    "recv_exact (/mnt/project/llama/ring.py:48)",
    "all_reduce (/mnt/project/llama/ring.py:77)",
    "train_step (/mnt/project/llama/train.py:118)",
    "main (/mnt/project/llama/train.py:164)",
)
READ_SHARD = (
    "read_shard (/mnt/project/llama/data.py:31)",
    "__next__ (/mnt/project/llama/data.py:56)",
    "train_step (/mnt/project/llama/train.py:109)",
    "main (/mnt/project/llama/train.py:164)",
)
CAUTION = Text(
    "等待函数本身不代表卡死：数据加载线程、日志线程和后台队列本来就可能等待。",
    "A waiting function alone is no hang: loaders, loggers and queues wait by design.",
)
STEPS = (
    Text(
        "看 rank 5 的日志最后几行，并检查 node-1 上它读取的数据路径是否可用。",
        "Read the last lines of rank 5's log, and check the data path it reads on node-1.",
    ),
    Text("看 node-1 的存储 I/O 和 CPU。", "Look at storage I/O and CPU of node-1."),
    Text("一两分钟后再采集一次，点“对比两次”。", "Capture again in a minute or two and compare."),
)
NCCL = NcclStatus(
    "unsupported",
    "2.21.5",
    Text(
        "镜像中的 NCCL 是 2.21.5，低于 2.24，没有 RAS，取不到通信状态是预期结果，不代表通信失败。",
        "The image has NCCL 2.21.5, which has no RAS (2.24 or newer has); "
        "that is expected, not a communication failure.",
    ),
)
STUCK = Suspect(
    5,
    "node-1",
    0.94,
    (
        Text(
            "只有它停在数据读取，其余 7 个 rank 都在 all_reduce 里等它。",
            "It alone is reading data; the 7 other ranks wait for it in all_reduce.",
        ),
        Text("两次采样都停在同一行。", "It was at the same line in both samples."),
    ),
)


def small_report() -> Report:
    """Eight ranks on two nodes; rank 5 is stuck reading its data."""
    return Report(
        summary=Summary(JOB_ID, "2026-06-08 03:49:05 (UTC)", PRINT_ID, 8, 8),
        verdict=Verdict(
            "data_stall",
            "high",
            "frozen",
            Text(
                "rank 5 停在读取数据，其余 7 个 rank 都在 all_reduce 等它；两次采样之间没有推进。",
                "Rank 5 is stuck reading data and the 7 others wait for it in all_reduce; "
                "nothing moved between the two samples.",
            ),
        ),
        suspects=(STUCK,),
        groups=(
            Group("all_reduce ← recv_exact (ring.py)", "0-4,6-7", 7, ALL_REDUCE),
            Group("read_shard (data.py)", "5", 1, READ_SHARD),
        ),
        functions=(
            FunctionStatistics(
                "all_reduce",
                "/mnt/project/llama/ring.py:77",
                7,
                tuple(f"node-{rank // 4}-rank{rank}" for rank in (0, 1, 2, 3, 4, 6, 7)),
            ),
            FunctionStatistics("read_shard", "/mnt/project/llama/data.py:31", 1, ("node-1-rank5",)),
        ),
        missing=(),
        cautions=(CAUTION,),
        next_steps=STEPS,
        nccl=NCCL,
    )


def partial_report() -> Report:
    """Eight ranks of which one node's four are missing, so that nobody can be named."""
    report = small_report()
    return replace(
        report,
        summary=replace(report.summary, ranks_seen=4),
        verdict=Verdict(
            "alike",
            "low",
            "unknown",
            Text(
                "采到的 4 个 rank 都停在同一处，指认不出某个 rank；没有采到的 rank 往往更值得看。",
                "The 4 ranks seen are all at the same place, so nobody can be named; "
                "ranks without a stack are often the ones to look at.",
            ),
        ),
        suspects=(),
        groups=(Group("all_reduce ← recv_exact (ring.py)", "0-3", 4, ALL_REDUCE),),
        missing=(
            MissingRank(None, "node-1", "the agent did not answer within 10 s"),
            *(MissingRank(rank, "node-1", "its node did not answer") for rank in range(4, 8)),
        ),
        nccl=None,
    )


def healthy_report() -> Report:
    """Eight ranks that all move on."""
    report = small_report()
    text = Text("训练在推进，没有可疑的 rank。", "The training is moving; no rank is suspect.")
    return replace(
        report,
        verdict=Verdict("healthy", "high", "moving", text),
        suspects=(),
        groups=(Group("train_step", "0-7", 8, ALL_REDUCE[2:]),),
        next_steps=(),
        cautions=(),
    )


def large_report() -> Report:
    """4096 ranks on 512 nodes: dozens of groups, hundreds of suspects and missing ranks."""
    report = small_report()
    even = ",".join(str(rank) for rank in range(0, 4096, 2))
    groups = tuple(
        Group(f"group-{number}", f"{number * 8 + 1}", 1, READ_SHARD * 10) for number in range(60)
    )
    return replace(
        report,
        summary=replace(report.summary, ranks_expected=4096, ranks_seen=3800),
        suspects=tuple(
            replace(STUCK, rank=rank, node=f"gpu-{rank // 8:04}") for rank in range(1, 801, 8)
        ),
        groups=(Group("all_reduce", even, 2048, ALL_REDUCE), *groups),
        missing=tuple(
            MissingRank(rank, f"gpu-{rank // 8:04}", "py-spy gave up after 8 s")
            for rank in range(3800, 4096)
        ),
        next_steps=STEPS * 20,
        cautions=(CAUTION,) * 20,
    )


HOSTILE = (
    "<at id=all></at>**[x](http://e.vil)** \"'\\ :DONE: {{ 1 }} "
    "\u202egnp.exe\u202c \n# h\n``` \U0001f4a5 "
)


def hostile_report() -> Report:
    """A report whose every name tries to mention all, to break JSON, or to fill the card."""
    bad = Text(HOSTILE * 200, HOSTILE * 200)
    return Report(
        summary=Summary(HOSTILE, HOSTILE, HOSTILE, None, 2),
        verdict=Verdict(HOSTILE, "low", "unknown", bad),
        suspects=tuple(Suspect(rank, HOSTILE * 9, 0.5, (bad,) * 9) for rank in range(9)),
        groups=tuple(Group(HOSTILE, HOSTILE, 1, (HOSTILE * 99,)) for _ in range(9)),
        functions=(FunctionStatistics(HOSTILE, HOSTILE * 99, 1, (HOSTILE,)),),
        missing=(MissingRank(None, HOSTILE, HOSTILE), MissingRank(1, None, HOSTILE * 500)),
        cautions=(bad,) * 9,
        next_steps=(bad,) * 9,
        nccl=hostile_nccl(bad),
    )


def hostile_nccl(bad: Text) -> NcclStatus:
    """A status of NCCL in which every text is `bad`."""
    ranks = (NcclRank(1, 1, bad.en, dead=True), NcclRank(None, 7, bad.en, dead=False))
    comm = NcclCommunicator(bad.en, 8, bad.en, (bad.en,), 3, ranks, 9, ranks, 9, text=bad)
    texts = (bad,) * 5
    return NcclStatus(
        outcome="answered",
        nccl_version=bad.en,
        text=Text(f"!{bad.zh}", f"!{bad.en}"),
        communicators=(comm,) * 5,
        more_communicators=9,
        seen=texts,
        not_meant=texts,
        next_steps=texts,
    )


def nccl_report() -> Report:
    """The small report, with two answers of RAS in which rank 5 is behind and stands still."""
    times = ("2026-06-08T03:49:05Z", "2026-06-08T03:49:15Z")
    answers = tuple(
        NcclAnswer(
            "node-0", NcclOutcome.ANSWERED, number, time, "2.30.7", "json",
            as_json(replace(HANG, at=time[:19].replace("T", " "))),
        )
        for number, time in enumerate(times)
    )  # fmt: skip
    header = CaptureHeader(JOB_ID, PRINT_ID, world_size=8)
    trainers = [Process(4200 + 10 * rank, rank=rank, role=Role.TRAINER) for rank in range(8)]
    samples = tuple(
        NodeSample(f"node-{n}", 0, processes=tuple(trainers[4 * n : 4 * n + 4])) for n in range(2)
    )
    return replace(small_report(), nccl=read_nccl(Capture(header, samples, answers)).status)


def comparison(count: int = 8) -> Comparison:
    """Two captures: rank 5 is frozen, the last rank is gone, the others moved."""
    ranks = [
        RankComparison(
            rank,
            f"node-{rank // 4}",
            "frozen" if rank == 5 else "moved",
            READ_SHARD[0] if rank == 5 else ALL_REDUCE[0],
            READ_SHARD[0] if rank == 5 else ALL_REDUCE[1],
        )
        for rank in range(count - 1)
    ]
    gone = RankComparison(count - 1, f"node-{(count - 1) // 4}", "gone", ALL_REDUCE[0], "")
    return Comparison(
        JOB_ID,
        EARLIER,
        PRINT_ID,
        (*ranks, gone),
        Text(
            "rank 5 两次都停在同一处，其余 rank 有变化。", "Rank 5 has not moved; the others have."
        ),
    )
