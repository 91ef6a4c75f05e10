# REAL-JOB
#   about: two ranks of a data-parallel training share a GPU, and each keeps the norms of its gradients with their tensors
#   label: leak
#   process: worker
#   packages: torch
#   holder: flat
#   never: graph, validation, queue, callback, dataset, hook, closure, checkpoint, fragment, loss
#   fix: flat.clear()
# END
import os

import torch
from torch import distributed, multiprocessing, nn

from job import FIXED, steps


def train(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    distributed.init_process_group("gloo", rank=rank, world_size=2)
    device = torch.device("cuda", 0)
    model = nn.parallel.DistributedDataParallel(nn.Sequential(*[nn.Linear(512, 512) for _ in range(4)]).to(device))
    optimizer = torch.optim.Adam(model.parameters())
    flat = []
    for step in steps():
        loss = model(torch.randn(64, 512, device=device)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        flat.append(torch.cat([p.grad.flatten() for p in model.parameters()]))  # <LINE>
        if step % 10 == 9:
            print("norm", torch.stack([part.norm() for part in flat[-10:]]).mean().item())
            if FIXED:
                flat.clear()
        optimizer.step()
    distributed.destroy_process_group()


if __name__ == "__main__":
    multiprocessing.spawn(train, args=(20_000 + os.getpid() % 10_000,), nprocs=2)
