// Series that cannot be decided. The right answer is "inconclusive", with the evidence that would decide.
//
// A rise from the first sample to the end of the log is a leak or an unfinished warm-up. The series does
// not show which of them, so short ones are labelled unknown.
#include <algorithm>
#include <array>
#include <cmath>

#include "verdict/families.h"
#include "verdict/shapes.h"

namespace lowtide::bench {
namespace {

using model::VerdictKind;

void call_unknown(Scene& scene) {
  scene.kind = VerdictKind::Inconclusive;
  scene.starts_low = false;
}

// The label rests on the number of steps. Where they are not logged, the number
// of samples has to say it, and a leak has twice as many (families_leak.cpp).
void call_unknown_by_steps(Scene& scene) {
  call_unknown(scene);
  scene.keeps_steps = scene.size() > 40;
}

Scene ramp_cut(Draft draft) {
  // One in ten is seen for longer, but then it has more than doubled and is still a warm-up as often as not.
  const bool longer = draft.rng.chance(0.1);
  Scene scene = make_scene(draft, {.samples_min = 6,
                                   .samples_max = longer ? 60.0 : 34.0,
                                   .steps_max = longer ? 900 : draft.knobs.cut_steps_max});
  const double growth =
      std::max(scene.base_mb * (longer ? draft.rng.uniform(1.8, 3) : draft.rng.log_uniform(0.25, 2)),
               20 * scene.noise.sd_mb);
  raise(scene, 0, scene.size() - 1, growth);
  call_unknown_by_steps(scene);
  return scene;
}

Scene cache_unfilled(Draft draft) {
  Scene scene = make_scene(
      draft, {.samples_min = 20, .samples_max = 200, .steps_max = 2.2 * draft.knobs.cut_steps_max});
  const double growth = std::max(scene.base_mb * draft.rng.log_uniform(0.2, 1), 25 * scene.noise.sd_mb);
  const double tau = draft.rng.uniform(0.4, 0.9);
  for (std::size_t i = 0; i < scene.size(); ++i) {
    scene.floor_mb[i] += growth * (1 - std::exp(-scene.along(i) / tau)) / (1 - std::exp(-1 / tau));
  }
  call_unknown_by_steps(scene);
  return scene;
}

// Slower and slower, never done: the second half still adds 2.5% of the level or more.
Scene sublinear(Draft draft) {
  for (;;) {
    Scene scene = make_scene(draft, {.samples_min = 70, .steps_min = 1000});
    const double power = draft.rng.uniform(0.3, 0.5);
    const double growth = scene.base_mb * draft.rng.uniform(0.15, 0.8);
    const double second_half = growth * (1 - std::pow(0.5, power));
    if (second_half < 0.025 * scene.base_mb || growth < 40 * scene.noise.sd_mb || scene.noise.phi > 0.93)
      continue;
    for (std::size_t i = 0; i < scene.size(); ++i)
      scene.floor_mb[i] += growth * std::pow(scene.along(i), power);
    call_unknown(scene);
    return scene;
  }
}

Scene too_short(Draft draft) {
  Scene scene =
      make_scene(draft, {.samples_min = 3, .samples_max = 7, .steps_max = draft.knobs.cut_steps_max});
  if (draft.rng.chance(0.6)) raise(scene, 0, scene.size() - 1, scene.base_mb * draft.rng.uniform(0.02, 0.6));
  call_unknown(scene);
  return scene;
}

// The first tooth of a collector, before it has ever collected.
Scene first_tooth(Draft draft) {
  Scene scene =
      make_scene(draft, {.samples_min = 10, .samples_max = 60, .steps_max = 0.9 * draft.knobs.cut_steps_max});
  const double low = scene.base_mb * draft.rng.uniform(0.05, 0.2);
  raise(scene, 0, scene.size() - 1,
        std::max(scene.base_mb * draft.rng.uniform(0.15, draft.knobs.tooth_max), 20 * scene.noise.sd_mb));
  for (std::size_t i = 0; i < std::min<std::size_t>(2, scene.size()); ++i) scene.floor_mb[i] -= low;
  call_unknown_by_steps(scene);
  return scene;
}

// Flat for long, and then, at the very end, it climbs: the next phase, or a leak.
Scene late_ramp(Draft draft) {
  for (;;) {
    Scene scene = make_scene(draft, {.samples_min = 120, .samples_max = 900, .steps_max = 4000});
    const std::size_t from = index_at(scene, draft.rng.uniform(0.92, 0.95));
    if (scene.size() - from < 6 || scene.size() - from > 34) continue;
    if (scene.step.back() - scene.step[from] > draft.knobs.cut_steps_max) continue;
    raise(scene, from, scene.size() - 1,
          std::max(scene.base_mb * draft.rng.log_uniform(0.15, 0.6), 30 * scene.noise.sd_mb));
    call_unknown_by_steps(scene);
    return scene;
  }
}

// A big cache seen for long: the bend is plain, the end is not.
Scene cache_slow(Draft draft) {
  for (;;) {
    Scene scene = make_scene(draft, {.samples_min = 150, .steps_min = 1000});
    const double tau = draft.rng.uniform(0.35, 0.6);
    const double growth = scene.base_mb * draft.rng.log_uniform(0.25, 1);
    // What the last third still adds, against what is left of the noise.
    const double late = growth * (std::exp(-0.67 / tau) - std::exp(-1 / tau));
    if (late < 0.03 * scene.base_mb || growth < 40 * scene.noise.sd_mb || scene.noise.phi > 0.93) continue;
    for (std::size_t i = 0; i < scene.size(); ++i)
      scene.floor_mb[i] += growth * (1 - std::exp(-scene.along(i) / tau));
    call_unknown(scene);
    return scene;
  }
}

constexpr std::array kFamilies = {
    Family{"inconclusive_ramp_cut", ramp_cut},       Family{"inconclusive_cache_unfilled", cache_unfilled},
    Family{"inconclusive_sublinear", sublinear},     Family{"inconclusive_too_short", too_short},
    Family{"inconclusive_first_tooth", first_tooth}, Family{"inconclusive_late_ramp", late_ramp},
    Family{"inconclusive_cache_slow", cache_slow},
};

}  // namespace

std::span<const Family> inconclusive_families() {
  return kFamilies;
}

}  // namespace lowtide::bench
