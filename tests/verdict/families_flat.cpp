// Flat floors: excursions that recover (spikes), and nothing at all (stable).
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "verdict/families.h"
#include "verdict/shapes.h"

namespace lowtide::bench {
namespace {

using model::VerdictKind;

void call_spikes(Scene& scene) {
  scene.kind = VerdictKind::Spikes;
  scene.plateau_mb = scene.base_mb;
}

// Loading the model first is a rise that ended; outliers by the dozen are spikes. Both may be said.
void call_stable(Scene& scene) {
  scene.kind = VerdictKind::Stable;
  scene.plateau_mb = scene.base_mb;
  if (scene.starts_low) scene.also_right.push_back(VerdictKind::Warmup);
  const double outliers = scene.noise.outlier_rate * static_cast<double>(scene.size());
  if (outliers >= 2 && scene.noise.outlier_mb > 0.02 * scene.base_mb)
    scene.also_right.push_back(VerdictKind::Spikes);
}

double draw_spike_mb(Draft draft, const Scene& scene, double low, double high) {
  return std::max({scene.base_mb * draft.rng.log_uniform(low, high), 12 * scene.noise.sd_mb, 100.0});
}

Scene spikes_validation(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 45});
  const double period = static_cast<double>(scene.size()) / draft.rng.log_uniform(5, 15);
  add_spikes(draft, scene,
             {.period_samples = period,
              .length_samples = std::max(1.0, period * draft.rng.uniform(0.05, 0.3)),
              .height_mb = draw_spike_mb(draft, scene, 0.1, 1.0)});
  call_spikes(scene);
  return scene;
}

Scene spikes_gc_sawtooth(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 45});
  const double most = std::min(40.0, static_cast<double>(scene.size()) / 7);
  const double period = static_cast<double>(scene.size()) / draft.rng.log_uniform(5, std::max(6.0, most));
  add_teeth(
      draft, scene, period,
      std::max(scene.base_mb * draft.rng.log_uniform(0.06, draft.knobs.tooth_max), 12 * scene.noise.sd_mb),
      0.1);
  call_spikes(scene);
  return scene;
}

Scene spikes_checkpoint(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 60});
  const double period = static_cast<double>(scene.size()) / draft.rng.log_uniform(4, 12);
  add_spikes(draft, scene,
             {.period_samples = period,
              .length_samples = 1.2,
              .height_mb = draw_spike_mb(draft, scene, 0.3, 1.2),
              .height_spread = 0.03});
  call_spikes(scene);
  return scene;
}

// The validation set's cache warms up, not the job: heights grow, then stay.
Scene spikes_growing_height(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 90});
  const double period = static_cast<double>(scene.size()) / draft.rng.log_uniform(8, 16);
  add_spikes(draft, scene,
             {.period_samples = period,
              .length_samples = std::max(1.0, period * draft.rng.uniform(0.05, 0.25)),
              .height_mb = draw_spike_mb(draft, scene, 0.25, 1.0)});
  const double settled = draft.rng.uniform(0.3, 0.6);
  for (std::size_t i = 0; i < scene.size(); ++i) {
    scene.excess_mb[i] *= 0.35 + 0.65 * std::min(1.0, scene.along(i) / settled);
  }
  call_spikes(scene);
  return scene;
}

Scene spikes_irregular(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 100});
  const double period = static_cast<double>(scene.size()) / draft.rng.log_uniform(7, 20);
  add_spikes(draft, scene,
             {.period_samples = period,
              .length_samples = std::max(1.0, period * 0.1),
              .height_mb = draw_spike_mb(draft, scene, 0.15, 0.8),
              .height_spread = 0.4,
              .period_spread = 0.4});
  call_spikes(scene);
  return scene;
}

// Workers swell and are replaced one epoch after the other.
Scene spikes_worker_respawn(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 80});
  const double most = std::min(25.0, static_cast<double>(scene.size()) / 8);
  const double period = static_cast<double>(scene.size()) / draft.rng.log_uniform(5, std::max(6.0, most));
  add_teeth(draft, scene, period,
            std::max(scene.base_mb * draft.rng.log_uniform(0.05, 0.25), 12 * scene.noise.sd_mb), 0.02);
  call_spikes(scene);
  return scene;
}

Scene spikes_gpu_evaluation(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 60});
  scene.noise = {};
  scene.chunk_mb = 0;
  scene.page = Page::Huge;
  scene.starts_low = false;
  const double period = static_cast<double>(scene.size()) / draft.rng.log_uniform(5, 15);
  add_spikes(draft, scene,
             {.period_samples = period,
              .length_samples = std::max(1.0, period * draft.rng.uniform(0.1, 0.35)),
              .height_mb = draw_spike_mb(draft, scene, 0.1, 0.8),
              .height_spread = 0});
  call_spikes(scene);
  return scene;
}

Scene stable_constant(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 30});
  call_stable(scene);
  return scene;
}

Scene stable_children(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 40});
  const double child = scene.base_mb * draft.rng.uniform(0.03, 0.12);
  const double period = static_cast<double>(scene.size()) / draft.rng.log_uniform(3, 14);
  for (double at = period * draft.rng.uniform(); at < static_cast<double>(scene.size()) - 4;
       at += period * draft.rng.uniform(0.7, 1.3) + 3) {
    const auto begin = static_cast<std::size_t>(at);
    const std::size_t length = 1 + draft.rng.index(2);
    for (std::size_t i = begin; i < begin + length; ++i) scene.excess_mb[i] -= child;
  }
  call_stable(scene);
  scene.also_right.push_back(VerdictKind::Spikes);
  return scene;
}

Scene stable_file_cache(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 80});
  scene.noise.wander_mb = scene.base_mb * draft.rng.uniform(0.015, 0.05);
  scene.noise.wander_samples = std::min(draft.rng.log_uniform(2, 8) * draft.knobs.wander_factor,
                                        static_cast<double>(scene.size()) / 40);
  call_stable(scene);
  scene.also_right.push_back(VerdictKind::Spikes);
  return scene;
}

Scene stable_slow_decline(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 45});
  const double fall = scene.base_mb * draft.rng.log_uniform(0.02, 0.25);
  for (std::size_t i = 0; i < scene.size(); ++i) scene.floor_mb[i] -= fall * scene.along(i);
  call_stable(scene);
  scene.plateau_mb = scene.floor_mb.back();
  return scene;
}

// Neighbours come and go: strong noise with a long memory, no trend.
Scene stable_shared_host(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 250});
  scene.noise = {.sd_mb = scene.base_mb * draft.rng.log_uniform(0.01, 0.03),
                 .phi = draft.rng.uniform(0.6, 0.92)};
  call_stable(scene);
  scene.also_right.push_back(VerdictKind::Spikes);
  return scene;
}

Scene stable_gpu_flat(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 30});
  scene.noise = {};
  scene.chunk_mb = 0;
  scene.page = Page::Huge;
  scene.starts_low = draft.rng.chance(0.3);
  call_stable(scene);
  return scene;
}

// The allocator gives something back, once or twice, and it stays given back.
Scene stable_trimmed(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 60});
  const int trims = draft.rng.whole(1, 2);
  for (int k = 0; k < trims; ++k) {
    const std::size_t at = index_at(scene, draft.rng.uniform(0.15, 0.75));
    lift(scene, at, -scene.base_mb * draft.rng.uniform(0.03, 0.12));
  }
  call_stable(scene);
  scene.plateau_mb = scene.floor_mb.back();
  return scene;
}

Scene stable_week_long(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 600, .samples_max = 2400, .steps_min = 20000});
  const double day = static_cast<double>(scene.size()) / 7;
  const double swing = scene.base_mb * draft.rng.log_uniform(0.002, 0.015);
  const double phase = draft.rng.uniform(0, 2 * std::numbers::pi);
  for (std::size_t i = 0; i < scene.size(); ++i) {
    scene.at_s[i] = std::round(86400 / day * static_cast<double>(i));
    scene.excess_mb[i] += swing * (1 + std::sin(2 * std::numbers::pi * static_cast<double>(i) / day + phase));
  }
  call_stable(scene);
  scene.also_right.push_back(VerdictKind::Spikes);
  return scene;
}

Scene stable_small_process(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 40});
  scene.base_mb = draft.rng.log_uniform(15, 90);
  scene.floor_mb.assign(scene.size(), scene.base_mb);
  scene.noise = {.sd_mb = scene.base_mb * draft.rng.log_uniform(0.0005, 0.008),
                 .phi = draft.rng.uniform(0, 0.8)};
  scene.page = Page::Small;
  scene.chunk_mb = 0;
  call_stable(scene);
  return scene;
}

Scene stable_short_log(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 22, .samples_max = 60});
  scene.noise = {.sd_mb = scene.base_mb * draft.rng.log_uniform(0.0003, 0.003),
                 .phi = draft.rng.uniform(0, 0.4)};
  call_stable(scene);
  return scene;
}

constexpr std::array kSpikes = {
    Family{"spikes_validation", spikes_validation},
    Family{"spikes_gc_sawtooth", spikes_gc_sawtooth},
    Family{"spikes_checkpoint", spikes_checkpoint},
    Family{"spikes_growing_height", spikes_growing_height},
    Family{"spikes_irregular", spikes_irregular},
    Family{"spikes_worker_respawn", spikes_worker_respawn},
    Family{"spikes_gpu_evaluation", spikes_gpu_evaluation},
};

constexpr std::array kStable = {
    Family{"stable_constant", stable_constant},
    Family{"stable_children", stable_children},
    Family{"stable_file_cache", stable_file_cache},
    Family{"stable_slow_decline", stable_slow_decline},
    Family{"stable_shared_host", stable_shared_host},
    Family{"stable_gpu_flat", stable_gpu_flat},
    Family{"stable_trimmed", stable_trimmed},
    Family{"stable_week_long", stable_week_long},
    Family{"stable_small_process", stable_small_process},
    Family{"stable_short_log", stable_short_log},
};

}  // namespace

std::span<const Family> spike_families() {
  return kSpikes;
}

std::span<const Family> stable_families() {
  return kStable;
}

}  // namespace lowtide::bench
