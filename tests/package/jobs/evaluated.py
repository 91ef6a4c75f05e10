"""A short training with evaluations and cleanup. It prints what reached the trainer's own log.

usage: evaluated.py FOLDER STEPS transformers|lightning|keras
"""

import json
import os
import sys

os.environ["KERAS_BACKEND"] = "torch"
import torch  # noqa: E402

import lowtide  # noqa: E402

FOLDER, STEPS, TRAINER = sys.argv[1], int(sys.argv[2]), sys.argv[3]
OPTIONS = {"every": 10, "recording": os.path.join(FOLDER, "job.lowtide"), "quiet": True}


class Data(torch.utils.data.Dataset):
    def __init__(self, batches):
        self.batches = batches

    def __len__(self):
        return 4 * self.batches

    def __getitem__(self, number):
        return {"x": torch.ones(4), "labels": torch.ones(1)}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x, labels):
        return {"loss": (self.layer(x) - labels).pow(2).mean()}


def transformers():
    from transformers import Trainer, TrainingArguments

    from lowtide.huggingface import CleanupCallback, MemoryCallback

    arguments = TrainingArguments(output_dir=FOLDER, max_steps=STEPS, per_device_train_batch_size=4, per_device_eval_batch_size=4, use_cpu=True,
                                  eval_strategy="steps", eval_steps=STEPS // 2, logging_steps=10, report_to="tensorboard", disable_tqdm=True,
                                  save_strategy="no")
    trainer = Trainer(model=Model(), args=arguments, train_dataset=Data(STEPS), eval_dataset=Data(5),
                      callbacks=[MemoryCallback(**OPTIONS), CleanupCallback(lowtide.Cleanup())])
    trainer.train()
    return {"history": trainer.state.log_history}


def lightning():
    import lightning.pytorch
    from lightning.pytorch.loggers import CSVLogger

    from lowtide.lightning import CleanupCallback, MemoryCallback

    class Module(lightning.pytorch.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = Model()

        def training_step(self, batch, number):
            loss = self.model(**batch)["loss"]
            self.log("loss", loss)
            return loss

        def validation_step(self, batch, number):
            self.log("val_loss", self.model(**batch)["loss"])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    trainer = lightning.pytorch.Trainer(max_steps=STEPS, callbacks=[MemoryCallback(**OPTIONS), CleanupCallback(lowtide.Cleanup())],
                                        accelerator="cpu", logger=CSVLogger(FOLDER, name="csv"), log_every_n_steps=10, val_check_interval=STEPS // 2,
                                        check_val_every_n_epoch=None, enable_checkpointing=False, enable_progress_bar=False,
                                        enable_model_summary=False)
    trainer.fit(Module(), torch.utils.data.DataLoader(Data(STEPS), batch_size=4), torch.utils.data.DataLoader(Data(5), batch_size=4))
    return {}


def keras():
    import keras
    import numpy

    from lowtide.keras import MemoryCallback

    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    data = numpy.ones((2 * STEPS, 4), dtype="float32")
    fitted = model.fit(data, data[:, :1], batch_size=4, epochs=2, verbose=0, validation_data=(data[:40], data[:40, :1]),
                       callbacks=[MemoryCallback(**OPTIONS), keras.callbacks.CSVLogger(os.path.join(FOLDER, "log.csv"))])
    return {"history": fitted.history}


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(globals()[TRAINER]()))
