# REAL-JOB
#   about: a LightningModule collects the predictions of each validation and never clears them
#   label: leak
#   process: main
#   packages: torch lightning
#   holder: predictions
#   never: graph, queue, dataset, worker, hook, closure, checkpoint, fragment
#   fix: self.predictions.clear()
# END
import lightning
import torch
from torch import nn

from job import FIXED, steps


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 512))
        self.predictions = []
        self.pace = steps()

    def training_step(self, batch, index):
        if next(self.pace, None) is None:
            self.trainer.should_stop = True
        return self.layers(batch).square().mean()

    def validation_step(self, batch, index):
        prediction = self.layers(batch)  # <LINE>
        self.predictions.append(prediction)  # <KEPT>
        self.log("validation", prediction.square().mean())

    def on_validation_epoch_end(self):
        if FIXED:
            self.predictions.clear()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


def batches(count):
    return torch.utils.data.DataLoader(torch.randn(count * 512, 256), batch_size=512)


trainer = lightning.Trainer(max_epochs=100_000, accelerator="gpu", devices=1, logger=False, enable_checkpointing=False,
                            enable_progress_bar=False, enable_model_summary=False)
trainer.fit(Model(), batches(10), batches(4))
