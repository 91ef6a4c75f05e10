// The training setup that a plan is made for.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "model/plan.h"

namespace lowtide::plan {

// What data-parallel GPUs divide among themselves (ZeRO, arXiv:1910.02054): nothing, the optimizer states,
// the gradients too, the weights too. FSDP's full sharding is Zero3.
enum class Sharding { None, Zero1, Zero2, Zero3 };

struct JobSetup : model::TrainingSetup {
  // Weights in 16 bits with a float32 copy, and optimizer states in float32. Without it, gradients and
  // optimizer states have the type of the weights.
  bool mixed_precision = false;
  std::optional<double> heads = {};     // of the attention
  std::optional<double> kv_heads = {};  // fewer than that: grouped-query attention
  double gpus = 1;
  double tensor_parallel = 1;  // GPUs that divide each layer among themselves
  Sharding sharding = Sharding::None;
  bool has_lora_tensors = false;  // `tensors` contains pairs of low-rank matrices
};

// Copies of the model that see different batches.
inline double data_parallel(const JobSetup& setup) {
  return std::max(1.0, setup.gpus / setup.tensor_parallel);
}

// One GPU holds 1/n of each.
struct Shares {
  double weights = 1;
  double gradients = 1;
  double states = 1;
};

inline Shares shares_of(const JobSetup& setup) {
  const double tensor = setup.tensor_parallel;
  const double copies = data_parallel(setup);
  return {.weights = tensor * (setup.sharding == Sharding::Zero3 ? copies : 1),
          .gradients = tensor * (setup.sharding >= Sharding::Zero2 ? copies : 1),
          .states = tensor * (setup.sharding >= Sharding::Zero1 ? copies : 1)};
}

constexpr std::string_view to_string(Sharding sharding) {
  switch (sharding) {
    case Sharding::None:
      return "none";
    case Sharding::Zero1:
      return "zero1";
    case Sharding::Zero2:
      return "zero2";
    case Sharding::Zero3:
      return "zero3";
  }
  return {};
}

}  // namespace lowtide::plan
