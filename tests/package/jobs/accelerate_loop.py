"""A loop with Accelerate and its TensorBoard tracker.

usage: accelerate_loop.py FOLDER STEPS leak|fixed
"""

import json
import os
import sys
import time

import torch
from accelerate import Accelerator

from lowtide.accelerate import MemoryLog

logits = []


def main():
    folder, steps, keeps = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "leak"
    torch.set_num_threads(1)
    accelerator = Accelerator(cpu=True, log_with="tensorboard", project_dir=folder)
    accelerator.init_trackers("job")
    model = torch.nn.Linear(256, 256)
    model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=1e-3))
    with MemoryLog(accelerator, every=10, recording=os.path.join(folder, "job.lowtide")) as memory:
        for number in range(steps):
            output = model(torch.randn(512, 256))
            if keeps:
                logits.append(output.detach())
            accelerator.backward(output.pow(2).mean())
            optimizer.step()
            optimizer.zero_grad()
            memory.step(number)
            time.sleep(0.02)
    accelerator.end_training()
    report = memory.report
    print(json.dumps({"kind": report.verdict.kind, "words": str(report.verdict), "holders": [one["path"] for one in report.holders],
                      "findings": [str(one) for one in report.problems]}))


if __name__ == "__main__":
    main()
