// What validation adds: the samples of one episode, or of all of them if their outputs are kept to the end.

#include <fmt/format.h>

#include "base/units.h"
#include "plan/model_part.h"
#include "plan/parts.h"
#include "plan/range.h"
#include "plan/shape.h"
#include "plan/words.h"

namespace lowtide::plan {

PlanParts validation_parts(const JobSetup& setup) {
  if (setup.validation_samples <= 0) return {};
  const double each = sample_shape(setup).tensor_bytes;
  const double episode = setup.validation_samples * each;
  const double all = setup.validation_episodes * episode;
  const bool keeps = setup.validation_kept;
  return {host_part(
      model::PlanComponent::Validation, about(keeps ? all : episode, episode, all),
      keeps ? fmt::format("{} x {} samples x {}", counted_words(setup.validation_episodes, "episode"),
                          count_words(setup.validation_samples), base::format_bytes(each))
            : fmt::format("{} samples of one episode x {}", count_words(setup.validation_samples),
                          base::format_bytes(each)),
      keeps ? "each output is as large as its sample and is kept until the last episode"
            : "released after each episode; a list of outputs would hold all episodes")};
}

}  // namespace lowtide::plan
