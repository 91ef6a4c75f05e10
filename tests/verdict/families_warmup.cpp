// Warm-ups: the floor rose and has stopped, and the flat part is long enough to show it.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "verdict/families.h"
#include "verdict/shapes.h"

namespace lowtide::bench {
namespace {

using model::VerdictKind;

// How far under the plateau it begins. A rise that noise hides is no warm-up.
double draw_low_mb(Draft draft, const Scene& scene, double low = 0.12, double high = 0.75) {
  return std::max(scene.base_mb * draft.rng.uniform(low, high), 12 * scene.noise.sd_mb);
}

void settle(Scene& scene, std::size_t end) {
  scene.kind = VerdictKind::Warmup;
  scene.warmup_end = end;
  scene.plateau_mb = scene.floor_mb.back();
}

Scene warmup_linear_plateau(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 30});
  const std::size_t end = index_at(scene, draft.rng.uniform(0.08, 0.55));
  warm_up_line(draft, scene, end, draw_low_mb(draft, scene));
  return scene;
}

Scene warmup_exp_saturation(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 35});
  const double tau = draft.rng.uniform(0.04, 0.12);
  warm_up_exponential(scene, tau, draw_low_mb(draft, scene));
  return scene;
}

// Misses fill the cache; the fuller it is, the fewer there are, until it holds all it may.
Scene warmup_lru_slow(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 60});
  const double end = draft.rng.uniform(0.3, 0.6);
  const double bend = draft.rng.uniform(0.5, 2);
  const double low = draw_low_mb(draft, scene, 0.1, 0.5);
  for (std::size_t i = 0; i < scene.size(); ++i) {
    const double u = std::min(1.0, scene.along(i) / end);
    scene.floor_mb[i] -= low * (1 - (1 - std::exp(-bend * u)) / (1 - std::exp(-bend)));
  }
  settle(scene, index_at(scene, end));
  return scene;
}

Scene warmup_cache_steps(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 50});
  const double end = draft.rng.uniform(0.17, 0.48);
  const int count = draft.rng.whole(3, 8);
  const double low = draw_low_mb(draft, scene, 0.12, 0.6);
  lift(scene, 0, -low);
  std::size_t last = 0;
  for (int k = 1; k <= count; ++k) {
    last = index_at(scene, end * k / count);
    lift(scene, last, low / count);
  }
  settle(scene, last);
  return scene;
}

Scene warmup_mode_shift_once(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 40});
  const std::size_t at = index_at(scene, draft.rng.uniform(0.18, 0.7));
  const double low = std::max(scene.base_mb * draft.rng.log_uniform(0.04, 0.4), 12 * scene.noise.sd_mb);
  lift(scene, 0, -low);
  lift(scene, at, low);
  settle(scene, at);
  scene.also_right = {VerdictKind::Stable};
  return scene;
}

// A heap whose holes fill up. It never ends completely, but the second half adds less than 0.6% of the level.
Scene warmup_fragmentation(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 60});
  const double low = scene.base_mb * draft.rng.uniform(0.08, 0.4);
  const double q = std::min(draft.rng.log_uniform(0.002, 0.03), 0.0055 * scene.base_mb / low);
  for (std::size_t i = 0; i < scene.size(); ++i) scene.floor_mb[i] -= low / (1 + scene.along(i) / q);
  scene.kind = VerdictKind::Warmup;
  scene.plateau_mb = scene.floor_mb.back();
  if (low / (1 + 0.05 / q) < 0.02 * scene.base_mb) scene.also_right = {VerdictKind::Stable};
  return scene;
}

Scene warmup_two_restarts(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 100});
  scene.starts_low = false;
  const double low = std::max(scene.base_mb * draft.rng.uniform(0.5, 0.8), 12 * scene.noise.sd_mb);
  const double warm_steps = draft.rng.uniform(0.06, 0.14) * scene.span_steps();
  const auto begins = restart_twice(draft, scene, 0.3);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    if (i == begins[1] || i == begins[2]) begin = i;
    const double done = std::min(1.0, (scene.step[i] - scene.step[begin]) / warm_steps);
    scene.floor_mb[i] -= low * (1 - done);
    if (begin == begins[2] && done >= 1 && !scene.warmup_end) scene.warmup_end = i;
  }
  scene.kind = VerdictKind::Warmup;
  scene.plateau_mb = scene.base_mb;
  return scene;
}

Scene warmup_then_spikes(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 60});
  const std::size_t end = index_at(scene, draft.rng.uniform(0.08, 0.4));
  warm_up_line(draft, scene, end, draw_low_mb(draft, scene));
  const double period = static_cast<double>(scene.size()) / draft.rng.log_uniform(6, 16);
  add_spikes(draft, scene,
             {.period_samples = period,
              .length_samples = std::max(1.0, period * draft.rng.uniform(0.05, 0.2)),
              .height_mb = scene.base_mb * draft.rng.log_uniform(0.15, 0.6)});
  scene.also_right = {VerdictKind::Spikes};
  return scene;
}

// Slow, and right in the end: thousands of steps of steady growth, then it stops.
Scene warmup_long_ramp(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 120, .steps_min = 3000});
  const double most = 0.6;
  const double least = std::min(0.5, 1000 / scene.span_steps());
  const std::size_t end = index_at(scene, draft.rng.uniform(least, most));
  warm_up_line(draft, scene, end, draw_low_mb(draft, scene, 0.1, 0.5));
  return scene;
}

Scene warmup_bigger_batch(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 50});
  const std::size_t at = index_at(scene, draft.rng.uniform(0.2, 0.65));
  const double share = draft.rng.uniform(0.1, 0.5);
  lift(scene, 0, -scene.base_mb * share);
  const std::size_t done = std::min(at + 1 + draft.rng.index(3), scene.size() - 1);
  raise(scene, at, done, scene.base_mb * share);
  settle(scene, done);
  scene.also_right = {VerdictKind::Stable};
  return scene;
}

// Longer sequences stage by stage, to the longest.
Scene warmup_curriculum(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 80});
  const int stages = draft.rng.whole(3, 6);
  const double end = draft.rng.uniform(0.3, 0.55);
  const double low = draw_low_mb(draft, scene, 0.2, 0.6);
  lift(scene, 0, -low);
  std::size_t last = 0;
  for (int k = 1; k <= stages; ++k) {
    const double stage_end = end * k / stages;
    last = index_at(scene, stage_end);
    raise(scene, index_at(scene, stage_end - 0.4 * end / stages), last, low / stages);
  }
  settle(scene, last);
  return scene;
}

// The search for a learning rate runs its own short job in front.
Scene warmup_lr_finder(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 100});
  scene.starts_low = false;
  const double finder = draft.rng.uniform(0.05, 0.1);
  const double end = finder + draft.rng.uniform(0.1, 0.3);
  const double low = draw_low_mb(draft, scene, 0.3, 0.6);
  lift(scene, 0, -low);
  const std::size_t finder_end = index_at(scene, finder);
  for (std::size_t i = 0; i < finder_end; ++i) {
    scene.floor_mb[i] += 0.7 * low * static_cast<double>(i) / static_cast<double>(finder_end);
  }
  const std::size_t warm = index_at(scene, end);
  raise(scene, finder_end, warm, low);
  settle(scene, warm);
  return scene;
}

// Entries arrive when they arrive: bursts, pauses, and then there is no room left.
Scene warmup_random_pace_cache(Draft draft) {
  for (;;) {
    Scene scene = make_scene(draft, {.samples_min = 80});
    const double low = draw_low_mb(draft, scene, 0.15, 0.6);
    const double until = draft.rng.uniform(0.2, 0.45) * static_cast<double>(scene.size());
    double filled = 0;
    double burst = 1;
    std::optional<std::size_t> full;
    for (std::size_t i = 0; i < scene.size(); ++i) {
      if (draft.rng.chance(0.08)) burst = draft.rng.chance(0.3) ? 0 : draft.rng.log_uniform(0.4, 2.5);
      filled = std::min(1.0, filled + burst * draft.rng.exponential(1 / until));
      if (filled >= 1 && !full) full = i;
      scene.floor_mb[i] -= low * (1 - filled);
    }
    if (!full || *full > scene.size() * 6 / 10 || *full < scene.size() / 12) continue;
    settle(scene, *full);
    return scene;
  }
}

Scene warmup_short_log(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 22, .samples_max = 60});
  scene.starts_low = false;
  scene.noise = {.sd_mb = scene.base_mb * draft.rng.log_uniform(0.0005, 0.005),
                 .phi = draft.rng.uniform(0, 0.4)};
  const std::size_t end = index_at(scene, draft.rng.uniform(0.2, 0.5));
  warm_up_line(draft, scene, end, draw_low_mb(draft, scene, 0.2, 0.7));
  return scene;
}

Scene warmup_small_process(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 50});
  scene.base_mb = draft.rng.log_uniform(25, 90);
  scene.floor_mb.assign(scene.size(), scene.base_mb);
  scene.noise = {.sd_mb = scene.base_mb * draft.rng.log_uniform(0.0005, 0.005),
                 .phi = draft.rng.uniform(0, 0.8)};
  scene.page = Page::Small;
  scene.chunk_mb = 0;
  const std::size_t end = index_at(scene, draft.rng.uniform(0.1, 0.5));
  warm_up_line(draft, scene, end, draw_low_mb(draft, scene, 0.3, 0.7));
  return scene;
}

// Reserved GPU memory: a handful of segments early on, then the very same number for ever.
Scene warmup_gpu_reserve(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 60});
  scene.noise = {};
  scene.chunk_mb = 0;
  scene.page = Page::Huge;
  scene.starts_low = false;
  const int segments = draft.rng.whole(3, 9);
  const double end = draft.rng.uniform(0.1, 0.4);
  const double low = draw_low_mb(draft, scene, 0.2, 0.7);
  lift(scene, 0, -low);
  std::size_t last = 0;
  for (int k = 0; k < segments; ++k) {
    const std::size_t at = index_at(scene, end * std::pow(draft.rng.uniform(), 1.5));
    lift(scene, at, low / segments);
    last = std::max(last, at);
  }
  settle(scene, last);
  // Over within the first samples it looks like loading the model.
  if (last < scene.size() / 20) scene.also_right = {VerdictKind::Stable};
  return scene;
}

Scene warmup_two_stages(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 100});
  const double first_end = draft.rng.uniform(0.06, 0.15);
  const double second_begin = first_end + draft.rng.uniform(0.1, 0.2);
  const std::size_t end = index_at(scene, second_begin + draft.rng.uniform(0.06, 0.2));
  const double low = draw_low_mb(draft, scene, 0.25, 0.7);
  const double split = draft.rng.uniform(0.35, 0.65);
  lift(scene, 0, -low);
  raise(scene, 0, index_at(scene, first_end), split * low);
  raise(scene, index_at(scene, second_begin), end, (1 - split) * low);
  settle(scene, end);
  return scene;
}

constexpr std::array kFamilies = {
    Family{"warmup_linear_plateau", warmup_linear_plateau},
    Family{"warmup_exp_saturation", warmup_exp_saturation},
    Family{"warmup_lru_slow", warmup_lru_slow},
    Family{"warmup_cache_steps", warmup_cache_steps},
    Family{"warmup_mode_shift_once", warmup_mode_shift_once},
    Family{"warmup_fragmentation", warmup_fragmentation},
    Family{"warmup_two_restarts", warmup_two_restarts},
    Family{"warmup_then_spikes", warmup_then_spikes},
    Family{"warmup_long_ramp", warmup_long_ramp},
    Family{"warmup_bigger_batch", warmup_bigger_batch},
    Family{"warmup_curriculum", warmup_curriculum},
    Family{"warmup_lr_finder", warmup_lr_finder},
    Family{"warmup_random_pace_cache", warmup_random_pace_cache},
    Family{"warmup_short_log", warmup_short_log},
    Family{"warmup_small_process", warmup_small_process},
    Family{"warmup_gpu_reserve", warmup_gpu_reserve},
    Family{"warmup_two_stages", warmup_two_stages},
};

}  // namespace

std::span<const Family> warmup_families() {
  return kFamilies;
}

}  // namespace lowtide::bench
