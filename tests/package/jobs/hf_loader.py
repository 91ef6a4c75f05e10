"""A Trainer whose workers make large batches ahead.

usage: hf_loader.py FOLDER STEPS WORKERS
"""

import json
import sys

import torch
from transformers import Trainer, TrainingArguments

from lowtide.huggingface import MemoryCallback


class Mean(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, pixels):
        return {"loss": (self.scale * pixels.mean()).sum()}


class Pictures(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, number):
        return {"pixels": torch.full((500_000,), float(number))}  # 2 MB


folder, steps, workers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
model = Mean()
arguments = TrainingArguments(output_dir=folder, max_steps=steps, per_device_train_batch_size=8, report_to="none", use_cpu=True,
                              disable_tqdm=True, save_strategy="no", remove_unused_columns=False, dataloader_num_workers=workers,
                              dataloader_prefetch_factor=4 if workers else None)
Trainer(model=model, args=arguments, train_dataset=Pictures(), callbacks=[MemoryCallback(every=10)]).train()
print(json.dumps({"hooks": len(model._forward_pre_hooks)}))
