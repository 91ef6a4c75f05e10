"""A training loop that allocates much and starts new workers every epoch: respawning_training.py SECONDS PROGRESS

PROGRESS gets a line for every hundred steps: seconds, steps and CPU seconds of this process, all since the start.
"""
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

EPOCH_STEPS = 400


class Samples(Dataset):
    def __len__(self):
        return EPOCH_STEPS * 16

    def __getitem__(self, at):
        return torch.full((256,), float(at % 7)), {"number": at, "name": f"sample {at}"}


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 256))
    optimizer = torch.optim.AdamW(model.parameters())
    kept = []
    began = time.monotonic()
    step = 0
    with open(sys.argv[2], "w") as progress:
        while time.monotonic() - began < float(sys.argv[1]):
            for batch, _labels in DataLoader(Samples(), batch_size=16, num_workers=2):
                optimizer.zero_grad()
                (model(batch) - batch).pow(2).mean().backward()
                optimizer.step()
                # A step of this size allocates about 3 MB. This is ten times as much, in tensors and in small objects.
                scratch = [torch.ones(64, 1024) for _ in range(100)]
                scratch.append({at: [str(at), bytes(100 + at % 50)] for at in range(5000)})
                kept.append(scratch[0][0, :64].clone())
                if len(kept) > 10_000:
                    kept.clear()
                del scratch
                step += 1
                if step % 100 == 0:
                    print(f"{time.monotonic() - began:.3f} {step} {time.process_time():.6f}", file=progress, flush=True)
                    print(f"step {step}", flush=True)


if __name__ == "__main__":
    main()
