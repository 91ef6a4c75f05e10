// Which families, in which shares, and what may carry the label "leak".
//
// The five kinds have fixed shares (kShares: as in the study, 37% leaks), so that
// precision means the same on every corpus; within a kind the families take turns.
// The third corpus has its own shares: a family that is added there changes no other corpus.
#include "verdict/corpus.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/check.h"
#include "verdict/families.h"

namespace lowtide::bench {
namespace {

struct Share {
  std::span<const Family> (*families)();
  std::size_t per_hundred;
};

constexpr std::array kShares = {Share{leak_families, 37}, Share{warmup_families, 27},
                                Share{spike_families, 10}, Share{stable_families, 13},
                                Share{inconclusive_families, 13}};

constexpr std::array kOtherShares = {Share{other_leak_families, 40}, Share{other_warmup_families, 30},
                                     Share{other_spike_families, 15}, Share{other_inconclusive_families, 15}};

// 37 is a unit modulo 100: walks through all hundred places, so that every
// stretch of the corpus holds all kinds.
constexpr std::size_t kStride = 37;

Family family_of(const CorpusPlan& plan, std::size_t index) {
  const std::span<const Share> shares = plan.other ? std::span<const Share>(kOtherShares) : kShares;
  std::size_t place = index * kStride % 100;
  for (const Share& share : shares) {
    if (place < share.per_hundred) {
      const std::span<const Family> families = share.families();
      return families[(index / 100 * share.per_hundred + place) % families.size()];
    }
    place -= share.per_hundred;
  }
  LOWTIDE_CHECK(false, "the shares of the kinds do not add up to a hundred");
  return leak_families()[0];
}

// A leak is labelled so only if somebody who knows all about the noise could not
// miss it, and nobody would call it too small to matter.
bool label_holds(const Knobs& knobs, const Scene& scene) {
  if (scene.kind != model::VerdictKind::Leak) return true;
  const std::size_t from = scene.shown_from.value_or(*scene.leak_from);
  const double growth_mb = scene.floor_mb.back() - scene.floor_mb[from];
  constexpr double kVisibleZ = 9;
  return growth_mb >= material_mb(knobs, scene.base_mb) && ideal_z(scene, from) >= kVisibleZ;
}

// Growth since the first sample is a leak by its number of steps; where there are
// none, by its number of samples.
bool rests_on_steps(const Scene& scene) {
  constexpr std::size_t kEnoughSamples = 80;
  return scene.kind == model::VerdictKind::Leak && scene.leak_from == 0U && scene.size() < kEnoughSamples;
}

}  // namespace

Series make_series(const CorpusPlan& plan, std::size_t index) {
  const Knobs knobs = plan.shifted ? shifted_knobs() : plain_knobs();
  const Family family = family_of(plan, index);
  Rng rng(plan.seed, index);
  const Draft draft{.rng = rng, .knobs = knobs};
  constexpr int kTries = 10000;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    Scene scene = family.draw(draft);
    if (!label_holds(knobs, scene)) continue;
    scene.keeps_steps = scene.keeps_steps || rests_on_steps(scene);
    Series series = observe(draft, scene);
    series.family = family.name;
    series.id = fmt::format("{}_{}_{:04}", family.name, plan.seed, index);
    return series;
  }
  LOWTIDE_CHECK(false, "a family never draws what its label promises");
  return {};
}

std::vector<Series> make_corpus(const CorpusPlan& plan) {
  std::vector<Series> corpus;
  corpus.reserve(plan.series);
  for (std::size_t i = 0; i < plan.series; ++i) corpus.push_back(make_series(plan, i));
  return corpus;
}

}  // namespace lowtide::bench
