from agent.libraries import has_torch, telling_libraries

MAPS = """\
559cc-559cd r-xp 00001000 fe:00 1 /opt/python/bin/python3.11
7f001-7f002 r-xp 00000000 fe:00 2 /opt/a dir/torch/lib/libtorch_cpu.so
7f002-7f003 rw-p 00000000 fe:00 2 /opt/a dir/torch/lib/libtorch_cpu.so
7f004-7f005 r-xp 00000000 fe:00 3 /opt/nvidia/cuda_runtime/lib/libcudart.so.12
7f005-7f006 r-xp 00000000 fe:00 4 /opt/nvidia/nccl/lib/libnccl.so.2 (deleted)
7f006-7f007 r-xp 00000000 fe:00 5 /opt/lib/libtorchless.txt
7f007-7f008 rw-p 00000000 00:00 0
7f008-7f009 rw-p 00000000 00:00 0 [stack]
"""


def test_torch_cuda_and_nccl_are_found_once_each() -> None:
    assert telling_libraries(MAPS) == (
        "/opt/a dir/torch/lib/libtorch_cpu.so",
        "/opt/nvidia/cuda_runtime/lib/libcudart.so.12",
        "/opt/nvidia/nccl/lib/libnccl.so.2 (deleted)",
    )


def test_torch_is_told_from_the_others() -> None:
    libraries = telling_libraries(MAPS)
    assert has_torch(libraries)
    assert not has_torch(libraries[1:])
