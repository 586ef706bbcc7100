adapters-exit = { $reason }，退出码 { $code }{ $signal }
adapters-container-ended = { $pod } 的容器 { $container } 已结束：{ $exit }。
adapters-slurm-ended = Slurm：{ $state }，退出码 { $code }{ $signal }。
adapters-slurm-state = Slurm：{ $state }。
adapters-slow = 平台告警：第 { $first }–{ $last } 步平均 { $mean } ms，基线 { $baseline } ms，慢 { $percent }%（约 { $times } 倍）。这只说明比该任务自己以前慢，不直接等同于硬件故障。
