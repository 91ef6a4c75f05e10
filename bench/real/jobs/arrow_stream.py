# REAL-JOB
#   about: each step writes a record batch to the same Arrow output stream, which is never replaced
#   label: leak
#   process: main
#   packages: pyarrow numpy
#   kind: c++
#   holder: sink
#   library: pyarrow
#   never: graph, validation, queue, callback, hook, loss, checkpoint, list
#   fix: self.open()
# END
import numpy
import pyarrow as pa

from job import FIXED, steps


class StreamWriter:
    """Collects record batches in the Arrow format, ready to be sent."""

    def __init__(self, schema):
        self.schema = schema
        self.open()

    def open(self):
        self.sink = pa.BufferOutputStream()
        self.writer = pa.ipc.new_stream(self.sink, self.schema)

    def write(self, batch):
        self.writer.write_batch(batch)  # <LINE>
        if FIXED and self.sink.tell() > 8_000_000:
            self.open()


schema = pa.schema([("position", pa.float64()), ("speed", pa.float64())])
writer = StreamWriter(schema)
for step in steps():
    columns = [pa.array(numpy.random.rand(32_000)) for _ in schema]
    writer.write(pa.record_batch(columns, schema=schema))
