"""Holds tensors of many kinds and prints the table of them as it counts it itself, through the collector."""
import collections
import gc
import json
import os
import signal
import sys

import numpy
import torch

torch.manual_seed(0)
torch.set_num_threads(1)


class Marked(torch.Tensor):
    """A subclass whose attributes are asked for in Python."""

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        return super().__torch_function__(function, types, arguments, keywords or {})


class Doubled(torch.autograd.Function):
    """Saves a tensor that nothing else holds."""

    @staticmethod
    def forward(context, value):
        context.save_for_backward(torch.zeros(1000, 1000))
        return value * 2

    @staticmethod
    def backward(context, gradient):
        return gradient * 2


def may_not_be_asked(number):
    os.kill(os.getpid(), signal.SIGKILL)


model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(16, 64)).pow(2).mean().backward()
    optimizer.step()
kept = [torch.zeros(100, 200) for _ in range(30)]
views = [kept[0][number] for number in range(50)]
halves = [torch.zeros(7, 5, 3, dtype=torch.float16) for _ in range(9)]
flags = torch.ones(1000, dtype=torch.bool)
whole = torch.arange(12).reshape(2, 1, 3, 1, 2)
scalar = torch.tensor(1.5)
marked = torch.randn(11, 13).as_subclass(Marked)
shared = torch.zeros(64, 64).share_memory_()
from_array = torch.from_numpy(numpy.zeros((50, 60)))
losses = [model(torch.randn(16, 64)).pow(2).mean() for _ in range(5)]  # each keeps its graph
losses[0].backward()
losses[1].backward()
doubled = Doubled.apply(torch.ones(3, requires_grad=True))
with torch.autograd.graph.saved_tensors_hooks(id, may_not_be_asked):
    hooked = torch.ones(3, requires_grad=True).pow(2)
empty = torch.empty(0, 4)
arrays = [numpy.zeros((100, 100)) for _ in range(20)]
array_views = [arrays[0][number] for number in range(40)]
objects = numpy.array([bytes(10_000 + number) for number in range(50)], dtype=object)


def table():
    gc.collect()
    with torch._C.DisableTorchFunction():
        found = collections.Counter()
        for item in gc.get_objects():
            if isinstance(item, torch.Tensor):
                found["%s %s %s %s" % (item.device, str(item.dtype)[6:], list(item.shape), item.requires_grad)] += 1
    return found


storages = {tensor.storage().data_ptr(): tensor.storage().nbytes() for tensor in kept + halves}
parameters = list(model.parameters())
sizes = {"parameter_bytes": sum(p.numel() * p.element_size() for p in parameters),
         "gradient_bytes": sum(p.grad.numel() * p.grad.element_size() for p in parameters)}
print("ready", json.dumps({**sizes, "table": table(), "kept_bytes": sum(t.numel() * t.element_size() for t in kept),
                           "arrays_bytes": sum(a.nbytes for a in arrays), "objects_bytes": sum(len(o) for o in objects)}),
      flush=True)
sys.stdin.readline()
