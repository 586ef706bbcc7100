"""What a kernel wait channel (/proc/PID/wchan) says about a blocked thread."""

import re
from functools import cache
from typing import Literal

Wait = Literal["lock", "poll", "sleep", "pipe", "fifo", "socket", "storage", "stop", "child", ""]

# Function names of Linux 4.18 to 6.18; a compiler may add a suffix such as `.constprop.0`.
_CHANNELS: tuple[tuple[Wait, re.Pattern[str]], ...] = (
    ("lock", re.compile(r"futex_\w+")),
    ("poll", re.compile(r"ep_poll|do_epoll_wait|poll_schedule_timeout|do_sys_poll|do_select")),
    ("sleep", re.compile(r"hrtimer_nanosleep|do_nanosleep|clock_nanosleep\w*")),
    ("pipe", re.compile(r"(anon_)?pipe_(read|write|wait)")),
    ("fifo", re.compile(r"wait_for_partner|fifo_open")),
    (
        "socket",
        re.compile(r"wait_woken|sk_(wait|stream_wait)\w+|inet_\w+|unix_\w+|tcp_\w+|skb_\w+"),
    ),
    (
        "storage",
        re.compile(
            r"io_schedule\w*|folio_\w+|wait_on_page\w*|percpu_rwsem_wait|rwsem_\w+|rpc_wait\w*"
            r"|nfs\w*|fuse_\w+|request_wait_answer|ceph_\w+|ptlrpc_\w+|cl_\w+|ldlm_\w+|jbd2_\w+"
            r"|ext4_\w+|xfs_\w+|btrfs_\w+|path_openat|do_\w*renameat2?|blk\w+|balance_dirty_pages\w*"
            r"|filename_create|lookup_slow|__lock_page\w*|wbt_wait|rq_qos_wait"
        ),
    ),
    (
        "stop",
        re.compile(r"do_signal_stop|ptrace_stop|do_jobctl_trap|do_freezer_trap|__refrigerator"),
    ),
    ("child", re.compile(r"do_wait|kernel_wait\w*")),
)


@cache
def wait_of(wchan: str) -> Wait:
    """Return what a thread waits for in the kernel, empty when it runs or nothing is known."""
    name = wchan.partition(".")[0]
    return next((wait for wait, pattern in _CHANNELS if pattern.fullmatch(name)), "")
