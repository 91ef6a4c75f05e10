// Jobs whose verdict needs a rule of its own: memory of a GPU, workers that are replaced, memory that is
// written for the first time, tables that double, shared memory. As in recorded_jobs.h.
#pragma once

#include "record/writer.h"
#include "verdict/rng.h"

namespace lowtide::bench {

// Tensors that a list keeps on the GPU; a buffer of the GPU that fills, until some time of the run; the same
// where the run ends before.
void play_gpu_list(record::Writer& writer, Rng& rng);
void play_gpu_buffer(record::Writer& writer, Rng& rng);
void play_unfinished_gpu_buffer(record::Writer& writer, Rng& rng);

// Workers copy pages of the trainer and are replaced; beside them the trainer leaks, warms up, or is flat.
void play_leak_beside_replaced(record::Writer& writer, Rng& rng);
void play_warmup_beside_replaced(record::Writer& writer, Rng& rng);
void play_replaced(record::Writer& writer, Rng& rng);

// A large array is written bit by bit. Or it is written in part at the start, and a list beside it grows.
void play_first_touch(record::Writer& writer, Rng& rng);
void play_leak_beside_array(record::Writer& writer, Rng& rng);

// A table that doubles whenever it is full: to the end, or until it has all keys.
void play_doubling_table(record::Writer& writer, Rng& rng);
void play_complete_table(record::Writer& writer, Rng& rng);

// Segments that are kept, mapped or not; and a ring of segments that fills.
void play_kept_segments(record::Writer& writer, Rng& rng);
void play_segment_ring(record::Writer& writer, Rng& rng);

}  // namespace lowtide::bench
