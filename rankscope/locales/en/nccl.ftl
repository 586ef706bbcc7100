nccl-x = x
