import pytest

from tests.agent.builders import JOB, members, proc, roles

GROUP = ("pt_gloo_runloop",)
TORCHRUN = ("python", "/opt/bin/torchrun", "train.py")


def test_torchrun_with_dataloader_and_compile_workers() -> None:
    found = roles(
        proc(10, cmdline=TORCHRUN, comms=("pt_elastic",), rank=0),
        proc(11, 10, rank=0, comms=GROUP),
        proc(12, 10, rank=1, comms=("pt_nccl_watchdg",)),
        proc(13, 11, rank=0, comm="pt_data_worker"),
        proc(14, 12, rank=1, cmdline=("python", "-c", "multiprocessing.resource_tracker")),
        proc(15, 12, rank=1, cmdline=("python", "/x/torch/_inductor/compile_worker/__main__.py")),
        proc(16, 15, rank=1),
        proc(17, 12, python=None),
    )
    assert found == {
        10: ("launcher", None),
        11: ("trainer", 0),
        12: ("trainer", 1),
        13: ("dataloader", 0),
        14: ("helper", 1),
        15: ("compile", 1),
        16: ("helper", 1),
        17: ("helper", 1),
    }


def test_plain_trainers_with_children_that_inherit_rank() -> None:
    found = roles(proc(10), proc(11, 10, rank=0), proc(12, 10, rank=1), proc(13, 11, rank=0))
    assert found == {11: ("trainer", 0), 12: ("trainer", 1), 13: ("helper", 0)}


def test_mp_spawn_with_a_stale_rank_in_the_parent() -> None:
    found = roles(proc(10, rank=0), proc(11, 10, rank=0), proc(12, 10, rank=1))
    assert found == {10: ("launcher", None), 11: ("trainer", 0), 12: ("trainer", 1)}


def test_a_wrapper_above_a_confirmed_trainer_is_a_launcher() -> None:
    found = roles(proc(10, rank=3), proc(11, 10, rank=3, comms=GROUP))
    assert found == {10: ("launcher", None), 11: ("trainer", 3)}


@pytest.mark.parametrize("module", [(), ("pkg.train",)])
def test_a_wrapper_above_a_trainer_without_torch_is_a_launcher(module: tuple[str, ...]) -> None:
    program = ("-m", *module) if module else ("train.py",)
    found = roles(
        proc(9, rank=3, cmdline=("python", "outer.py", "-m", "some.launcher", *program)),
        proc(10, 9, rank=3, cmdline=("python", "-m", "some.launcher", *program)),
        proc(11, 10, rank=3, cmdline=("python", *program, "--lr=1")),
        proc(12, 11, rank=3, cmdline=("python", *program, "--lr=1")),
        proc(13, 11, rank=3, cmdline=("python", "report.py")),
    )
    assert found == {
        9: ("launcher", None),
        10: ("launcher", None),
        11: ("trainer", 3),
        12: ("helper", 3),
        13: ("helper", 3),
    }


def test_a_child_with_a_process_group_of_its_own_is_no_second_trainer() -> None:
    found = roles(proc(10, rank=3, comms=GROUP), proc(11, 10, rank=3, comms=GROUP))
    assert found == {10: ("trainer", 3), 11: ("helper", 3)}


def test_a_pod_s_rank_makes_no_trainer_of_a_bystander() -> None:
    found = roles(
        proc(10, rank=0, cmdline=TORCHRUN),
        proc(11, 10, rank=0),
        proc(12, 10, rank=1),
        proc(20, rank=0, cmdline=("python", "tensorboard")),
    )
    assert found[11] == ("trainer", 0)
    assert found[20] == ("helper", 0)


def test_two_trainers_of_one_rank_are_both_shown() -> None:
    found = roles(proc(10, rank=0), proc(11, rank=0))
    assert found == {10: ("trainer", 0), 11: ("trainer", 0)}


def test_a_zombie_under_a_launcher_is_a_dead_rank_of_unknown_number() -> None:
    found = roles(
        proc(10, cmdline=TORCHRUN), proc(11, 10, rank=0, comms=GROUP), proc(12, 10, state="Z")
    )
    assert found[12] == ("dead", None)


def test_a_zombie_under_a_trainer_is_its_helper() -> None:
    assert roles(proc(10, rank=0), proc(11, 10, state="Z"))[11] == ("helper", 0)


def test_a_known_helper_whose_trainer_is_gone_stays_one() -> None:
    before = members(proc(10, rank=0), proc(11, 10, rank=0))
    helper = before[11]
    after = members(proc(11, 1, rank=0), proc(12, rank=1), orphans={helper.key: helper})
    assert after[11].role == "helper"
    assert after[11].owner == (10, 10)
    assert after[12].role == "trainer"


def test_processes_of_no_job_are_left_out() -> None:
    nothing = dict.fromkeys(JOB, "")
    assert roles(proc(10, rank=0, env=nothing), proc(11), proc(12, python=None)) == {}


def test_a_circle_of_parents_ends() -> None:
    assert roles(proc(10, 11, rank=0), proc(11, 10, rank=0))
