"""`rankscope ras`: read NCCL RAS answers, or ask a running job for one."""

import json
import time
from pathlib import Path
from typing import TypedDict, Unpack

import click

from rankscope.errors import UnusableInput
from rankscope.model.text import Language
from rankscope.nccl.asked import read_reply
from rankscope.nccl.client import ask, parse_address
from rankscope.nccl.model import RasAnswer, Reason
from rankscope.nccl.printed import lines_of
from rankscope.nccl.progress import in_order
from rankscope.nccl.read import read_answer
from rankscope.nccl.safety import Moment, safe_to_ask
from rankscope.nccl.shape import as_json
from rankscope.nccl.unavailable import Circumstances, settle
from rankscope.nccl.verdict import Context, judge
from rankscope.nccl.versions import NcclVersion
from rankscope.settings import settings

MAX_BYTES = 512 * 1024 * 1024
"""Ten times the JSON of 16,384 ranks; larger files are not answers of RAS."""


class _Options(TypedDict):
    again: float | None
    version: str
    steady: bool
    world_size: int | None
    seconds: float | None
    lang: Language | None


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE|HOST:PORT [FILE]")
@click.option("--json", "as_data", is_flag=True, help="Print JSON for programs (docs/nccl.md).")
@click.option(
    "--again", type=click.FloatRange(min=1), metavar="SECONDS",
    help="Ask HOST:PORT a second time after so many seconds (10 or more to tell a hang).",
)  # fmt: skip
@click.option(
    "--nccl-version", "version", default="", metavar="VERSION",
    help="NCCL of the job, such as 2.21.5; HOST:PORT is then asked only if that is safe.",
)  # fmt: skip
@click.option(
    "--steady", is_flag=True, help="Training has made progress and makes no process group now."
)
@click.option("--world-size", type=click.IntRange(min=1), help="Ranks the job should have.")
@click.option("--seconds", type=click.FloatRange(min=0), help="Seconds between the two answers.")
@click.option("--lang", type=click.Choice(["zh", "en"]), help="Language; default: the settings'.")
def ras(*, sources: tuple[str, ...], as_data: bool, **options: Unpack[_Options]) -> None:
    """Say what NCCL RAS answers mean: who is missing, dead or behind, and what that does not mean.

    FILE is what `ncclras` or `nc` printed, text or JSON, or their error messages; with two files of
    one job, earlier and later, also whether it stands still. HOST:PORT asks a running job, usually
    localhost:28028 inside its container. Asking runs code in the training process: not while the
    job starts, and with NCCL 2.26.2 to 2.28.3 only when no communicator is being made.
    """
    if len(sources) > 2:
        raise UnusableInput("At most two answers can be compared.", "Give one or two.")
    known = Circumstances(version=_version(options["version"]))
    moment = Moment.STEADY if options["steady"] else Moment.UNKNOWN
    again = options["again"]
    answers = [settle(answer, known) for answer in _answers(sources, again, known.version, moment)]
    context = Context(None, options["world_size"], again or options["seconds"], known)
    earlier, now = _in_order(answers)
    verdict = judge(now, earlier, context)
    if as_data:
        click.echo(json.dumps(as_json(now, verdict, earlier), ensure_ascii=False, indent=2))
    else:
        language = options["lang"] or settings().language
        click.echo("\n".join(lines_of(now, verdict, language, compared=earlier is not None)))


def _in_order(answers: list[RasAnswer]) -> tuple[RasAnswer | None, RasAnswer]:
    if len(answers) == 1:
        return None, answers[0]
    return in_order(*answers)


def _version(text: str) -> NcclVersion | None:
    version = NcclVersion.parse(text)
    if text and version is None:
        raise UnusableInput(f"{text!r} is no NCCL version.", "Write it as 2.21.5.")
    return version


def _answers(
    sources: tuple[str, ...], again: float | None, version: NcclVersion | None, moment: Moment
) -> list[RasAnswer]:
    answers = []
    for source in sources:
        path = Path(source)
        if path.exists():
            answers.append(_from_file(path))
            continue
        host, port = parse_address(source)
        for number in range(2 if again else 1):
            time.sleep(again if again and number else 0)
            answers.append(_from_job(host, port, version, moment))
    if len(answers) > 2:
        raise UnusableInput("At most two answers can be compared.", "Leave out --again.")
    return answers


def _from_file(path: Path) -> RasAnswer:
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise UnusableInput(f"{path} is too large for an answer of NCCL RAS.")
        answer = read_answer(path.read_bytes())
    except OSError as error:
        raise UnusableInput(f"Cannot read {path}: {error.strerror}.") from error
    if answer.reason is Reason.FOREIGN:
        what = f"{path} is not an answer of NCCL RAS."
        raise UnusableInput(what, "Give what `ncclras` or `nc` printed, text or JSON.")
    return answer


def _from_job(host: str, port: int, version: NcclVersion | None, moment: Moment) -> RasAnswer:
    if version is not None:
        permission = safe_to_ask(version, moment=moment)
        if not permission.allowed:
            return RasAnswer(
                permission.outcome, permission.reason, str(version), problems=(permission.text,)
            )
    return read_reply(ask(host, port))
