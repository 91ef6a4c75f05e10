// What validation adds: the samples of an episode, or of all where their outputs are kept until the end.

#include <fmt/format.h>

#include "base/units.h"
#include "plan/model_part.h"
#include "plan/parts.h"
#include "plan/range.h"
#include "plan/shape.h"
#include "plan/words.h"

namespace lowtide::plan {

PlanParts validation_parts(const model::TrainingSetup& setup) {
  if (setup.validation_samples <= 0) return {};
  const double each = sample_shape(setup).tensor_bytes;
  const double episode = setup.validation_samples * each;
  const double all = setup.validation_episodes * episode;
  const bool keeps = setup.validation_kept;
  return {
      host_part(model::PlanComponent::Validation, about(keeps ? all : episode, episode, all),
                keeps ? fmt::format("{} episodes x {} samples x {}", count_words(setup.validation_episodes),
                                    count_words(setup.validation_samples), base::format_bytes(each))
                      : fmt::format("{} samples of one episode x {}", count_words(setup.validation_samples),
                                    base::format_bytes(each)),
                keeps ? "each sample leaves as much as went in, and is kept until the last episode"
                      : "given back after each episode; a list that keeps them has all episodes in the end")};
}

}  // namespace lowtide::plan
