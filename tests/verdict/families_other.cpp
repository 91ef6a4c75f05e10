// The third corpus: growth that the families of the first two do not have, and innocent series that resemble
// it.
//
// Leaks that grow in bursts or start after a long plateau; sawteeth of a collector under noise, with and
// without a leak; caches that fill in bursts; fragmentation; warm-ups that the log cuts off. The labels
// follow the rules of the other families: an observer who knows the noise sees what the label says.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "verdict/families.h"
#include "verdict/shapes.h"

namespace lowtide::bench {
namespace {

using model::VerdictKind;

// Ramps of unequal size after pauses of unequal length, until `until` of the run.
struct Bursts {
  double longest_pause = 0;  // share of the run, between two bursts
  double last_end = 0;       // share of the run
};

Bursts grow_in_bursts(Draft draft, Scene& scene, int count, double until, double growth_mb) {
  Rng& rng = draft.rng;
  const double duty = rng.uniform(0.1, 0.5);  // of a cycle: how long its burst lasts
  std::vector<double> lengths;
  std::vector<double> sizes;
  double total_length = 0;
  double total_size = 0;
  for (int k = 0; k < count; ++k) {
    lengths.push_back(rng.uniform(0.4, 1.6));
    sizes.push_back(rng.uniform(0.4, 1.6));
    total_length += lengths.back();
    total_size += sizes.back();
  }
  Bursts out;
  double at = 0;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const double cycle = until * lengths[k] / total_length;
    const double pause = (1 - duty) * cycle;
    if (k > 0) out.longest_pause = std::max(out.longest_pause, pause);
    const std::size_t from = index_at(scene, at + pause);
    at += cycle;
    raise(scene, from, std::max(from, index_at(scene, at)), growth_mb * sizes[k] / total_size);
  }
  out.last_end = at;
  return out;
}

// The pause in which the log may end is no longer than one before it.
Scene other_leak_bursts(Draft draft) {
  for (;;) {
    Scene scene = make_scene(draft, {.samples_min = 120, .steps_min = 1.3 * draft.knobs.leak_steps_min});
    const int most = std::min(20, static_cast<int>(scene.size() / 12));
    const int count = draft.rng.whole(6, std::max(6, most));
    const double growth = draw_growth_mb(draft, scene, 0.03);
    const double until = draft.rng.uniform(0.93, 1);
    const Bursts bursts = grow_in_bursts(draft, scene, count, until, growth);
    if (1 - bursts.last_end > bursts.longest_pause) continue;
    scene.kind = VerdictKind::Leak;
    scene.leak_from = 0;
    scene.leak_mb_per_step = growth / (until * scene.span_steps());
    return scene;
  }
}

// Perhaps a warm-up, then a plateau for half of the run or more, then a leak that is seen for as many steps
// as one that starts at once.
Scene other_leak_after_plateau(Draft draft) {
  const double from = draft.rng.uniform(0.5, 0.8);
  Scene scene =
      make_scene(draft, {.samples_min = 200, .steps_min = 1.1 * draft.knobs.leak_steps_min / (1 - from)});
  if (draft.rng.chance(0.5)) {
    const std::size_t end = index_at(scene, draft.rng.uniform(0.05, 0.2));
    warm_up_line(draft, scene, end, scene.base_mb * draft.rng.uniform(0.1, 0.6));
  }
  leak_line(scene, index_at(scene, from), draw_growth_mb(draft, scene, 0.03));
  scene.warmup_end.reset();
  scene.plateau_mb.reset();
  return scene;
}

// A collector that leaves up to a tenth of the garbage, under noise of 2 to 15% of a tooth.
void add_noisy_teeth(Draft draft, Scene& scene, double teeth, double height_mb) {
  scene.noise = {.sd_mb = height_mb * draft.rng.log_uniform(0.02, 0.15), .phi = draft.rng.uniform(0, 0.6)};
  scene.chunk_mb = 0;
  const double period = static_cast<double>(scene.size()) / teeth;
  add_teeth(draft, scene, period, height_mb, draft.rng.uniform(0.05, 0.3));
  double left = 0;
  for (std::size_t i = 1; i < scene.size(); ++i) {
    const bool collected = scene.excess_mb[i] + left < scene.excess_mb[i - 1] - 0.3 * height_mb;
    if (collected) left = 0.1 * height_mb * draft.rng.uniform();
    scene.excess_mb[i] += left * (1 - scene.excess_mb[i] / height_mb);
  }
}

double draw_teeth(Draft draft, const Scene& scene, double least) {
  const double most = std::min(60.0, static_cast<double>(scene.size()) / 7);
  return draft.rng.log_uniform(least, std::max(least + 1, most));
}

Scene other_spikes_noisy_sawtooth(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 50});
  const double teeth = draw_teeth(draft, scene, 5);
  add_noisy_teeth(draft, scene, teeth, scene.base_mb * draft.rng.log_uniform(0.06, draft.knobs.tooth_max));
  scene.kind = VerdictKind::Spikes;
  scene.plateau_mb = scene.base_mb;
  return scene;
}

// The bottoms of the teeth show the leak with z >= 9; the noise and what the collector leaves count against
// it.
Scene other_leak_noisy_sawtooth(Draft draft) {
  for (;;) {
    Scene scene = make_scene(draft, {.samples_min = 100, .steps_min = 1.1 * draft.knobs.leak_steps_min});
    const double teeth = draw_teeth(draft, scene, 8);
    const double height = scene.base_mb * draft.rng.log_uniform(0.05, draft.knobs.tooth_max);
    const double growth = draw_growth_mb(draft, scene, 0.03);
    add_noisy_teeth(draft, scene, teeth, height);
    const double sampling = height / (static_cast<double>(scene.size()) / teeth) / std::sqrt(12.0);
    const double left = 0.1 * height / std::sqrt(12.0);
    const double bottom_sd = std::hypot(sampling, left, scene.noise.sd_mb);
    if (growth * std::sqrt(teeth / 12) < 9 * bottom_sd || growth < 0.12 * height) continue;
    leak_line(scene, 0, growth);
    return scene;
  }
}

// A heap whose holes fill up: hyperbolic, in two paces, or in ever rarer arenas. The second half of the run
// adds less than 0.6% of the level.
Scene other_warmup_fragmentation(Draft draft) {
  for (;;) {
    Scene scene = make_scene(draft, {.samples_min = 60});
    const double low = scene.base_mb * draft.rng.uniform(0.1, 0.45);
    const int shape = draft.rng.whole(0, 2);
    const double scale = draft.rng.log_uniform(0.004, 0.05);
    const double power = draft.rng.uniform(1, 2);
    const double fast = draft.rng.uniform(0.5, 0.85);
    const int arenas = draft.rng.whole(12, 40);
    const auto missing = [&](double u) {
      const double hyperbola = std::pow(1 + u / scale, -power);
      if (shape == 0) return hyperbola;
      if (shape == 1) return fast * std::exp(-u / scale) + (1 - fast) * std::exp(-u / 0.13);
      return std::ceil(arenas * hyperbola) / arenas;
    };
    if (low * (missing(0.5) - missing(1)) > 0.006 * scene.base_mb) continue;
    // What is still missing after a twentieth is more than the noise and than the start of a process.
    if (low * (missing(0.05) - missing(1)) < std::max(0.02 * scene.base_mb, 6 * scene.noise.sd_mb)) continue;
    for (std::size_t i = 0; i < scene.size(); ++i) scene.floor_mb[i] -= low * missing(scene.along(i));
    scene.kind = VerdictKind::Warmup;
    scene.plateau_mb = scene.floor_mb.back();
    return scene;
  }
}

// A cache that fills in bursts. The flat end is 30% of the run, and much longer than any pause before it.
Scene other_warmup_bursts(Draft draft) {
  for (;;) {
    Scene scene = make_scene(draft, {.samples_min = 100});
    const int count = draft.rng.whole(3, 8);
    const double low = std::max(scene.base_mb * draft.rng.uniform(0.12, 0.6), 12 * scene.noise.sd_mb);
    const double until = draft.rng.uniform(0.2, 0.6);
    lift(scene, 0, -low);
    const Bursts bursts = grow_in_bursts(draft, scene, count, until, low);
    if (1 - bursts.last_end < std::max(0.3, 2.5 * bursts.longest_pause)) continue;
    scene.kind = VerdictKind::Warmup;
    scene.warmup_end = index_at(scene, until);
    scene.plateau_mb = scene.base_mb;
    return scene;
  }
}

// A plateau, then a second rise that ends.
Scene other_warmup_after_plateau(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 120});
  const double from = draft.rng.uniform(0.25, 0.45);
  const std::size_t end = index_at(scene, from + draft.rng.uniform(0.05, 0.22));
  const double low = std::max(scene.base_mb * draft.rng.uniform(0.12, 0.5), 12 * scene.noise.sd_mb);
  lift(scene, 0, -low);
  raise(scene, index_at(scene, from), end, low);
  scene.kind = VerdictKind::Warmup;
  scene.warmup_end = end;
  scene.plateau_mb = scene.base_mb;
  return scene;
}

// A straight warm-up that the log cuts off: many readings of few steps.
Scene other_ramp_without_tail(Draft draft) {
  Scene scene =
      make_scene(draft, {.samples_min = 30, .samples_max = 300, .steps_max = draft.knobs.cut_steps_max});
  const double growth = std::max(scene.base_mb * draft.rng.log_uniform(0.1, 2), 25 * scene.noise.sd_mb);
  raise(scene, 0, scene.size() - 1, growth);
  scene.kind = VerdictKind::Inconclusive;
  scene.keeps_steps = true;
  return scene;
}

constexpr std::array kLeaks = {
    Family{"other_leak_bursts", other_leak_bursts},
    Family{"other_leak_after_plateau", other_leak_after_plateau},
    Family{"other_leak_noisy_sawtooth", other_leak_noisy_sawtooth},
};

constexpr std::array kWarmups = {
    Family{"other_warmup_fragmentation", other_warmup_fragmentation},
    Family{"other_warmup_bursts", other_warmup_bursts},
    Family{"other_warmup_after_plateau", other_warmup_after_plateau},
};

constexpr std::array kSpikes = {Family{"other_spikes_noisy_sawtooth", other_spikes_noisy_sawtooth}};

constexpr std::array kInconclusive = {Family{"other_ramp_without_tail", other_ramp_without_tail}};

}  // namespace

std::span<const Family> other_leak_families() {
  return kLeaks;
}

std::span<const Family> other_warmup_families() {
  return kWarmups;
}

std::span<const Family> other_spike_families() {
  return kSpikes;
}

std::span<const Family> other_inconclusive_families() {
  return kInconclusive;
}

}  // namespace lowtide::bench
