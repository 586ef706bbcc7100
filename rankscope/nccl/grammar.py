"""The lines of a RAS text report, NCCL 2.24 to 2.32 and RCCL.

Source: src/ras/client_support.cc of NVIDIA/nccl at the tags v2.24.3-1 to v2.30.7-1; the strings of
the library 2.32.3 are the same. Numbers may be negative where a damaged server prints garbage.
"""

import re
from typing import Final

from rankscope.nccl.model import RasProcess

NUMBER = r"(-?\d{1,20})"
WHO = (
    r"(?:GPU (?P<gpu>-?\d{1,9})(?: \(NVML (?P<nvml>-?\d{1,9})\))?"
    r" managed by process (?P<pid>-?\d{1,9}) on node (?P<host>\S+)"
    r"|\[process information not found\])"
)
ERROR_NAMES: Final = {
    1: "Unhandled CUDA error",
    2: "System error",
    3: "Internal error",
    4: "Invalid argument",
    5: "Invalid usage",
    6: "Remote process error",
    7: "NCCL operation in progress",
}
UNNAMED_ERROR = "Unexpected error"
ERROR = "(" + "|".join([*ERROR_NAMES.values(), UNNAMED_ERROR]) + ")"
KINDS = ("Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce")
"""The collectives NCCL counts (ncclFunc_t below NCCL_NUM_FUNCTIONS in nccl_common.h)."""
ONE_TOTAL = "Collective"
"""The kind of the single total of 2.24 and 2.25."""
HEADINGS = ("Job summary", "Communicators", "Errors", "Warnings")
KNOWN_GRAMMAR = ((2, 24, 0), (2, 32, 3))
"""First and last version whose every line is known here."""


def _line(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern + r"\Z", re.ASCII)


VERSION = _line(r"(NCCL|RCCL) version (\S+) compiled with (?:CUDA|ROCm) (\S.*)")
RUNTIME = _line(rf"(?:CUDA|HIP) runtime version {NUMBER}, (?:amdgpu )?driver version {NUMBER}")
UNDERLINE = _line("=+")
HEADING = _line("(Job summary|Errors|Warnings)")
COLLECTION = _line(r"Communicators\.\.\. \((\d+\.\d+)s\)")
TABLE_HEAD = _line(r" *(?:(?:Nodes|Processes|GPUs|per node|per process|\(per node\)|\(total\)) *)+")
TABLE_ROW = _line(r" +\d{1,9}(?: +\d{1,9})*")
OUTLIERS = _line("The outlier nodes?:")
OUTLIER = _line(r"  Node \S+ running process(?:es)? [\d,]+")
GROUP_HEAD = _line(
    r"Group +Comms +Nodes +Ranks +Ranks +Ranks +Status +Errors"
    r"|  +# +in group +per comm +per node +per comm +in group"
)
GROUP_ROW = _line(
    rf" *{NUMBER} +{NUMBER} +{NUMBER} +{NUMBER}(?:-{NUMBER})? +{NUMBER} +{NUMBER} "
    r"+([A-Z]+) +([A-Z,]+)"
)
NO_DATA = _line("No communicator data collected!")
BLOCK = _line("(INCOMPLETE|DEAD|TIMEOUT)")
COMM_BLOCK = _line(r"#(\d{1,9})-(\d{1,9}) \(([0-9a-f]{16})\) (INCOMPLETE|ERROR|MISMATCH)")
MISSING_PROCESSES = _line(rf"  Missing communicator data from {NUMBER} job process(?:es)?")
DEAD_PROCESSES = _line(
    rf"  {NUMBER} job process(?:es are| is) considered dead \(unreachable via the RAS network\)"
)
PROCESS = _line(rf"  Process {NUMBER} on node (\S+) managing GPUs? ([\d,]+)(?: \(NVML [\d,]+\))?")
UNFOUND = _line(rf"  \[could not find information on {NUMBER} process(?:es)?\]")
MISSING_RANKS = _line(rf"  Missing communicator data from {NUMBER} ranks?")
RANK_LIST = _line(r"  The (missing|unknown) ranks?: ([\d,]+)")
RANK = _line(rf"  Rank {NUMBER} -- {WHO}")
FAILED = _line(rf"  (Initialization|Asynchronous) errors? on {NUMBER} ranks?")
FAILED_SOME = _line(rf"  {NUMBER} ranks reported {ERROR}")
FAILED_ONE = _line(rf"  Rank {NUMBER} reported {ERROR} -- {WHO}")
TIMEOUTS = _line(
    rf"  Encountered {NUMBER} communication timeouts? while gathering communicator data"
)
STATES = _line("  Communicator ranks have different status")
STATE_SOME = _line(rf"  {NUMBER} ranks have status ([A-Z]+)")
STATE_ONE = _line(rf"  Rank {NUMBER} has status ([A-Z]+)(?: -- {WHO})?")
COUNTS = _line(
    rf"  Communicator ranks have different (collective|{'|'.join(KINDS)}) operation counts"
)
LAUNCHED = r"(?:launched up to operation (\d{1,20})|not launched any operations)"
COUNT_SOME = _line(rf"  {NUMBER} ranks have {LAUNCHED}")
COUNT_ONE = _line(rf"  Rank {NUMBER} has {LAUNCHED} -- {WHO}")
LISTED_AT_MOST = 10
"""Longer lists are left out of a report that is not VERBOSE (rasCountIsOutlier)."""
OLD_LIST_CHARACTERS = 1023
"""NCCL 2.24 and 2.25 print rank lists through a buffer of this size and cut them silently."""


def process_of(match: re.Match[str]) -> RasProcess | None:
    """Return the process a `-- GPU … managed by process …` names, None where NCCL knows none."""
    found = match.groupdict()
    if found["host"] is None:
        return None
    nvml = found["nvml"] or found["gpu"]
    return RasProcess(found["host"], int(found["pid"]), int(found["gpu"]), int(nvml))
