"""A tiny model under Lightning, made on the spot.

usage: lightning_trainer.py FOLDER STEPS leak|fixed
"""

import json
import os
import sys
import time

import lightning.pytorch as pl
import torch
from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger

from lowtide.lightning import MemoryCallback


class Model(pl.LightningModule):
    def __init__(self, keeps):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(512, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))
        self.keeps = keeps
        self.train_outputs = []

    def training_step(self, batch, number):
        hidden = self.net[:2](batch[0])
        if self.keeps:
            self.train_outputs.append(hidden.detach().repeat(8, 1))
        time.sleep(0.02)
        return self.net[2](hidden).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main():
    folder, steps, keeps = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "leak"
    torch.manual_seed(0)
    torch.set_num_threads(1)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(8192, 512)), batch_size=64)
    callback = MemoryCallback(every=10, recording=os.path.join(folder, "job.lowtide"))
    loggers = [CSVLogger(folder, name="csv"), TensorBoardLogger(folder, name="tb")]
    trainer = pl.Trainer(max_steps=steps, max_epochs=-1, accelerator="cpu", logger=loggers, callbacks=[callback],
                         enable_progress_bar=False, enable_model_summary=False, enable_checkpointing=False)
    trainer.fit(Model(keeps), data)
    report = callback.report
    print(json.dumps({"kind": report.verdict.kind, "words": str(report.verdict), "axis": report.verdict.axis,
                      "findings": [str(one) for one in report.problems], "holders": [one["path"] for one in report.holders]}))


if __name__ == "__main__":
    main()
