// What processes need before they do any work: libraries, and the child processes of the job.

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/units.h"
#include "plan/model_part.h"
#include "plan/parts.h"
#include "plan/range.h"
#include "plan/words.h"

namespace lowtide::plan {
namespace {

using model::PlanComponent;

// Resident after `import torch`: 0.16 GB (pytorch#12873), 0.33 GB in later versions (pytorch#113326), 1.12 GB
// in a job with all its imports. With a first tensor on a GPU, which loads the driver and its kernels: 0.45
// to 2.11 GB (pytorch#113326); convolutions take 0.62 GB more (pytorch#12873), torch.compile's modules 0.4
// GB.
constexpr double kTorch = 0.33e9;
constexpr double kTorchLeast = 0.16e9;
constexpr double kTorchMost = 1.12e9;
constexpr double kWithGpu = 2.11e9;
constexpr double kWithGpuLeast = 0.45e9;
constexpr double kWithGpuMost = 2.11e9 + 0.62e9 + 0.4e9;

// On the GPU: 0.3 GB with lazy loading (pytorch#107667), 0.78 GB on an H200 (docs/design/gpu.md).
constexpr double kContext = 0.54e9;
constexpr double kContextLeast = 0.3e9;
constexpr double kContextMost = 0.78e9;

// A forked worker shares the pages that it does not write to. 19 processes of a torch job had a PSS of 3.7
// GB, the largest child 0.69 GB (rwth-i6/returnn#1494).
constexpr double kWorker = 0.195e9;
constexpr double kWorkerLeast = 0.05e9;
constexpr double kWorkerMost = 0.69e9;

// 20 of them had an RSS of 0.4 GB each, which they share: each needs between a twentieth of that and all of
// it. The estimate is the geometric mean.
constexpr double kCompileWorker = 0.09e9;
constexpr double kCompileWorkerLeast = 0.02e9;
constexpr double kCompileWorkerMost = 0.4e9;

model::PlanPart libraries(const JobSetup& setup) {
  model::PlanPart part;
  part.component = PlanComponent::Libraries;
  if (setup.libraries_bytes) {
    part.host = exactly(*setup.libraries_bytes);
    part.formula = "as given";
  } else if (setup.on_cpu) {
    part.host = about(kTorch, kTorchLeast, kTorchMost);
    part.formula = "Python and torch after import";
  } else {
    part.host = about(kWithGpu, kWithGpuLeast, kWithGpuMost);
    part.formula = "Python, torch, the GPU driver and its kernels";
  }
  if (!setup.libraries_bytes)
    part.assumption = "PyTorch; set --context to the RSS after your imports for a better estimate";
  if (!setup.on_cpu) part.device = about(kContext, kContextLeast, kContextMost);
  return part;
}

model::PlanPart children(PlanComponent component, double count, const model::Range& each,
                         std::string assumption) {
  model::PlanPart part =
      host_part(component, each * count,
                fmt::format("{} processes x {}", count_words(count), base::format_bytes(each.estimate)),
                std::move(assumption));
  part.in_children = true;
  return part;
}

}  // namespace

PlanParts process_parts(const JobSetup& setup) {
  PlanParts parts = {libraries(setup)};
  if (setup.workers > 0) {
    parts.push_back(children(PlanComponent::Workers, setup.workers, about(kWorker, kWorkerLeast, kWorkerMost),
                             "forked; pages that they only read are shared with the trainer"));
  }
  if (setup.compile_workers > 0) {
    parts.push_back(children(PlanComponent::CompileWorkers, setup.compile_workers,
                             about(kCompileWorker, kCompileWorkerLeast, kCompileWorkerMost),
                             "an RSS of 0.4 GB each, most of it shared between them"));
  }
  return parts;
}

}  // namespace lowtide::plan
