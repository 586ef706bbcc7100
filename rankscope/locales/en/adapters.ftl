adapters-exit = { $reason }, exit code { $code }{ $signal }
adapters-container-ended = Container { $container } of { $pod } ended: { $exit }.
adapters-slurm-ended = Slurm: { $state }, exit code { $code }{ $signal }.
adapters-slurm-state = Slurm: { $state }.
adapters-slow = The platform warns: steps { $first }–{ $last } took { $mean } ms on average, the baseline is { $baseline } ms: { $percent } % slower ({ $times } times). This is slower than the job was before, not proof of a hardware fault.
