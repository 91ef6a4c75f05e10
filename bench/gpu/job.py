"""A training on a GPU with one known cause. At its end it writes what torch and the driver say, as JSON.

usage: job.py leak|fragments|outside|steady|oom STEPS SECONDS
"""
import ctypes
import json
import subprocess
import sys
import time

import torch

cause, steps, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
torch.manual_seed(0)
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(8)]).cuda()
optimizer = torch.optim.Adam(model.parameters())
kept = []        # of `leak` and `oom`
plan = []        # of `fragments`
pinned = torch.empty(10 << 20, dtype=torch.uint8, pin_memory=True)
cudart = ctypes.CDLL("libcudart.so." + torch.version.cuda.split(".")[0]) if cause == "outside" else None


def misbehave(step):
    if cause == "leak":
        kept.append(torch.ones(1 << 20, device="cuda"))  # 4 MiB per step
    elif cause == "fragments":
        # A large block that grows a little each time never fits into what was freed: small ones that live on sit in it.
        large = torch.empty((32 << 20) + step * (2 << 20), dtype=torch.uint8, device="cuda")
        plan.append(torch.empty(1 << 20, dtype=torch.uint8, device=large.device))
        if len(plan) > 40:
            plan.pop(0)
    elif cause == "oom":
        kept.append(torch.empty(torch.cuda.get_device_properties(0).total_memory // (steps - 5), dtype=torch.uint8, device="cuda"))
    elif cause == "outside":
        pointer = ctypes.c_void_p()
        assert cudart.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4 << 20)) == 0


began = time.monotonic()
for step in range(steps):
    loss = model(torch.randn(256, 1024, device="cuda")).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    try:
        misbehave(step)
    except torch.cuda.OutOfMemoryError:
        break
    time.sleep(max(0.0, began + (step + 1) * seconds / steps - time.monotonic()))
torch.cuda.synchronize()
for _ in range(25):  # so that the last reading is of this state: the agent comes with allocations
    bytes(1 << 20)
    time.sleep(0.1)
stats = torch.cuda.memory_stats()
host_stats = getattr(torch.cuda, "host_memory_stats", dict)
parameters = list(model.parameters())
state = [value for values in optimizer.state.values() for value in values.values() if torch.is_tensor(value) and value.is_cuda]


def storage_bytes(tensors):
    return sum(tensor.untyped_storage().nbytes() for tensor in tensors)


uses = {"parameters": storage_bytes(parameters), "gradients": storage_bytes(p.grad for p in parameters if p.grad is not None),
        "optimizer state": storage_bytes(state)}
driver = subprocess.run(["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"],
                        capture_output=True, text=True).stdout
print(json.dumps({"allocated": stats["allocated_bytes.all.current"], "reserved": stats["reserved_bytes.all.current"],
                  "inactive": stats["inactive_split_bytes.all.current"], "retries": stats["num_alloc_retries"],
                  "pinned": host_stats().get("allocated_bytes.current"), "ooms": stats["num_ooms"], "uses": uses, "driver": driver.strip(), "loss": float(loss)}), flush=True)
