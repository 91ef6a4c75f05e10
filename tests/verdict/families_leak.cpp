// Leaks: the floor rises to the end of the run.
//
// Every leak here is material (scene.h) and visible to an ideal observer; the corpus discards the others
// (corpus.cpp). A leak that grows from the first sample has at least Knobs::leak_steps_min steps. A shorter
// one cannot be distinguished from an unfinished warm-up, and is inconclusive.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "verdict/families.h"
#include "verdict/shapes.h"

namespace lowtide::bench {
namespace {

Scene make_leak_scene(Draft draft, double samples_min = 50, double samples_max = 0, double longer = 1.1) {
  return make_scene(draft, {.samples_min = samples_min,
                            .samples_max = samples_max,
                            .steps_min = longer * draft.knobs.leak_steps_min});
}

void make_quiet(Scene& scene) {
  scene.noise = {};
  scene.chunk_mb = 0;
}

// Teeth whose bottoms, seen through the sampling, still show the leak: z >= 9
// for a line through them. A tooth's lowest sample lies up to height / period
// above its floor, evenly spread.
bool teeth_show(double growth_mb, double teeth, double period_samples, double height_mb) {
  const double bottom_sd = height_mb / std::max(1.0, period_samples) / std::sqrt(12.0);
  return growth_mb * std::sqrt(teeth / 12) > 9 * bottom_sd && growth_mb > 0.12 * height_mb;
}

Scene with_teeth(Draft draft, double teeth_min, double period_spread) {
  for (;;) {
    Scene scene = make_leak_scene(draft, 80);
    const double most = std::min(40.0, static_cast<double>(scene.size()) / 6);
    if (most <= teeth_min) continue;
    const double teeth = draft.rng.log_uniform(teeth_min, most);
    const double period = static_cast<double>(scene.size()) / teeth;
    const double height = scene.base_mb * draft.rng.log_uniform(0.05, draft.knobs.tooth_max);
    const double growth = draw_growth_mb(draft, scene, 0.03);
    if (!teeth_show(growth, teeth, period, height)) continue;
    add_teeth(draft, scene, period, height, period_spread);
    leak_line(scene, 0, growth);
    return scene;
  }
}

// Stairs of equal expected height at `count` moments; `spread` makes them unequal.
void climb(Draft draft, Scene& scene, int count, double growth_mb, double spread, double jitter) {
  Rng& rng = draft.rng;
  std::vector<double> heights;
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    heights.push_back(std::max(0.15, 1 + spread * rng.normal()));
    sum += heights.back();
  }
  const double period = 1.0 / (count + 0.5);
  std::size_t first = 0;
  for (int k = 0; k < count; ++k) {
    const std::size_t at =
        index_at(scene, std::clamp((k + 1 + jitter * rng.uniform(-0.5, 0.5)) * period, 0.0, 0.97));
    if (k == 0) first = at;
    lift(scene, at, growth_mb * heights[static_cast<std::size_t>(k)] / sum);
  }
  scene.kind = model::VerdictKind::Leak;
  scene.leak_from = first;
  scene.leak_mb_per_step = growth_mb / count / (period * scene.span_steps());
}

Scene leak_linear(Draft draft) {
  Scene scene = make_leak_scene(draft, 40);
  leak_line(scene, 0, draw_growth_mb(draft, scene));
  return scene;
}

Scene leak_val_spikes_4gb(Draft draft) {
  Scene scene = make_leak_scene(draft, 80);
  const double period = static_cast<double>(scene.size()) / draft.rng.log_uniform(4, 15);
  add_spikes(draft, scene,
             {.period_samples = period,
              .length_samples = period * draft.rng.uniform(0.05, 0.25),
              .height_mb = draft.rng.log_uniform(draft.knobs.spike_min_mb, draft.knobs.spike_max_mb)});
  leak_line(scene, 0, draw_growth_mb(draft, scene));
  return scene;
}

Scene leak_late_start(Draft draft) {
  Scene scene = make_leak_scene(draft, 80, 0, 2.6);
  const std::size_t from = index_at(scene, draft.rng.uniform(0.3, 0.6));
  leak_line(scene, from, draw_growth_mb(draft, scene));
  return scene;
}

Scene leak_val_only_stairs(Draft draft) {
  Scene scene = make_leak_scene(draft, 80);
  const int count = draft.rng.whole(6, std::min(25, static_cast<int>(scene.size() / 10)));
  climb(draft, scene, count, draw_growth_mb(draft, scene, 0.03), 0.3, 0);
  // The validation itself, ending where the kept part begins.
  const auto length =
      static_cast<std::size_t>(std::max(1.0, 0.15 * static_cast<double>(scene.size()) / count));
  const double height = draft.rng.log_uniform(0.1, 0.5) * scene.base_mb;
  for (std::size_t i = 1; i < scene.size(); ++i) {
    if (scene.floor_mb[i] <= scene.floor_mb[i - 1]) continue;
    for (std::size_t k = i - std::min(i, length); k < i; ++k) scene.excess_mb[k] += height;
  }
  return scene;
}

Scene leak_per_epoch(Draft draft) {
  Scene scene = make_leak_scene(draft, 60);
  const int count = draft.rng.whole(6, std::min(25, static_cast<int>(scene.size() / 8)));
  climb(draft, scene, count, draw_growth_mb(draft, scene, 0.03), 0.2, 0.1);
  return scene;
}

Scene leak_gc_sawtooth(Draft draft) {
  return with_teeth(draft, 6, 0.1);
}

Scene leak_irregular_gc(Draft draft) {
  return with_teeth(draft, 9, 0.35);
}

Scene leak_noise_dominated(Draft draft) {
  for (;;) {
    Scene scene = make_leak_scene(draft, 300);
    scene.noise = {.sd_mb = scene.base_mb * draft.rng.log_uniform(0.01, 0.08),
                   .phi = draft.rng.uniform(0, 0.7)};
    leak_line(scene, 0, 1.0);
    const double growth = draft.rng.uniform(10, 25) / ideal_z(scene, 0);
    if (growth < material_mb(draft.knobs, scene.base_mb) || growth > 0.4 * scene.base_mb) continue;
    scene.floor_mb.assign(scene.size(), scene.base_mb);
    leak_line(scene, 0, growth);
    return scene;
  }
}

Scene leak_accelerating(Draft draft) {
  Scene scene = make_leak_scene(draft);
  const double power = draft.rng.uniform(1.6, 3);
  const double growth = draw_growth_mb(draft, scene, 0.05);
  for (std::size_t i = 0; i < scene.size(); ++i)
    scene.floor_mb[i] += growth * std::pow(scene.along(i), power);
  mark_leak(scene, 0);
  // The pace that matters is the present one: the mean over the last tenth.
  scene.leak_mb_per_step = growth * (1 - std::pow(0.9, power)) / (0.1 * scene.span_steps());
  return scene;
}

Scene leak_after_warmup(Draft draft) {
  Scene scene = make_leak_scene(draft, 70, 0, 1.6);
  const double share = draft.rng.uniform(0.08, 0.3);
  const double low = scene.base_mb * draft.rng.uniform(0.3, 0.75);
  const std::size_t end = index_at(scene, share);
  if (draft.rng.chance(0.6)) {
    warm_up_line(draft, scene, end, low);
  } else {
    warm_up_exponential(scene, share / 4, low);
  }
  leak_line(scene, end, draw_growth_mb(draft, scene));
  scene.plateau_mb.reset();
  scene.warmup_end.reset();
  return scene;
}

Scene leak_children_pile_up(Draft draft) {
  Scene scene = make_leak_scene(draft, 70);
  const int count = draft.rng.whole(6, 24);
  climb(draft, scene, count, scene.base_mb * draft.rng.log_uniform(0.2, 0.8), 0.02, 0.8);
  return scene;
}

Scene leak_two_restarts(Draft draft) {
  Scene scene = make_leak_scene(draft, 120, 0, 3.8);
  const double growth = draw_growth_mb(draft, scene, 0.08);
  const double pace = growth / (scene.span_steps() / 3);
  const auto begins = restart_twice(draft, scene, 0.2);
  const double start_share = draft.rng.uniform(0.25, 0.7);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    if (i == begins[1] || i == begins[2]) begin = i;
    scene.floor_mb[i] += pace * (scene.step[i] - scene.step[begin]);
    if (begin > 0 && i < begin + 2) scene.floor_mb[i] *= start_share + 0.2 * static_cast<double>(i - begin);
  }
  scene.kind = model::VerdictKind::Leak;
  scene.leak_from = 0;
  scene.shown_from = begins[2] + 2;
  scene.leak_mb_per_step = pace;
  return scene;
}

Scene leak_two_slopes(Draft draft) {
  Scene scene = make_leak_scene(draft, 80, 0, 2.6);
  const double knee = draft.rng.uniform(0.3, 0.6);
  const double ratio = draft.rng.chance(0.6) ? draft.rng.uniform(2, 6) : draft.rng.uniform(0.35, 0.6);
  const std::size_t at = index_at(scene, knee);
  const double late = draw_growth_mb(draft, scene, 0.03);
  const double early = late / ratio * knee / (1 - knee);
  raise(scene, 0, at, early);
  leak_line(scene, at, late);
  scene.leak_from = 0;
  scene.shown_from = at;
  return scene;
}

// A leak in something that is done for a part of every cycle.
Scene in_cycles(Draft draft, double duty_low, double duty_high) {
  Scene scene = make_leak_scene(draft, 100);
  const int count = draft.rng.whole(6, 14);
  const double duty = draft.rng.uniform(duty_low, duty_high);
  const double growth = draw_growth_mb(draft, scene, 0.03);
  for (std::size_t i = 0; i < scene.size(); ++i) {
    const double cycles = scene.along(i) * count;
    const double within = std::clamp((cycles - std::floor(cycles) - (1 - duty)) / duty, 0.0, 1.0);
    scene.floor_mb[i] += growth / count * (std::floor(cycles) + within);
  }
  scene.kind = model::VerdictKind::Leak;
  scene.leak_from = index_at(scene, (1 - duty) / count);
  scene.leak_mb_per_step = growth / scene.span_steps();
  return scene;
}

Scene leak_with_plateaus(Draft draft) {
  return in_cycles(draft, 0.3, 0.7);
}

Scene leak_in_evaluation(Draft draft) {
  return in_cycles(draft, 0.05, 0.2);
}

Scene leak_under_decaying_warmup(Draft draft) {
  Scene scene = make_leak_scene(draft, 100, 0, 1.5);
  const double tau = draft.rng.uniform(0.02, 0.07);
  warm_up_exponential(scene, tau, scene.base_mb * draft.rng.uniform(0.1, 0.5));
  const double growth = draw_growth_mb(draft, scene, 0.04);
  leak_line(scene, 0, growth);
  scene.leak_from = index_at(scene, 3 * tau);  // before, the warm-up is all that can be seen
  scene.plateau_mb.reset();
  scene.warmup_end.reset();
  return scene;
}

Scene leak_huge_pages(Draft draft) {
  Scene scene = make_leak_scene(draft);
  make_quiet(scene);
  scene.page = Page::Huge;
  const double growth = draw_growth_mb(draft, scene);
  scene.chunk_mb = growth / draft.rng.uniform(12, 60);
  leak_line(scene, 0, growth);
  return scene;
}

// The caching allocator reserves a segment now and then; in between nothing moves.
Scene leak_gpu_reserved(Draft draft) {
  Scene scene = make_leak_scene(draft, 100);
  make_quiet(scene);
  scene.page = Page::Huge;
  scene.starts_low = false;
  const int count = draft.rng.whole(10, 30);
  climb(draft, scene, count, draw_growth_mb(draft, scene, 0.03), 0.5, 0.9);
  return scene;
}

Scene leak_kb_per_step(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 200, .steps_min = draft.rng.log_uniform(1e5, 4e5)});
  const double growth = scene.span_steps() * draft.rng.log_uniform(0.002, 0.02);
  scene.base_mb = growth / draft.rng.log_uniform(0.03, 0.4);
  scene.floor_mb.assign(scene.size(), scene.base_mb);
  scene.noise = {.sd_mb = scene.base_mb * draft.rng.log_uniform(0.0003, 0.005),
                 .phi = draft.rng.uniform(0, 0.8)};
  leak_line(scene, 0, growth);
  return scene;
}

// A week at one sample every few minutes; people and cron jobs give the days.
Scene leak_week_long(Draft draft) {
  Scene scene = make_scene(draft, {.samples_min = 600, .samples_max = 2400, .steps_min = 20000});
  const double day = static_cast<double>(scene.size()) / 7;
  const double second_per_sample = 86400 / day;
  for (std::size_t i = 0; i < scene.size(); ++i)
    scene.at_s[i] = std::round(second_per_sample * static_cast<double>(i));
  const double swing = scene.base_mb * draft.rng.log_uniform(0.003, 0.015);
  const double phase = draft.rng.uniform(0, 2 * std::numbers::pi);
  for (std::size_t i = 0; i < scene.size(); ++i) {
    scene.excess_mb[i] += swing * (1 + std::sin(2 * std::numbers::pi * static_cast<double>(i) / day + phase));
  }
  leak_line(scene, 0, std::max(5 * swing, draw_growth_mb(draft, scene, 0.03)));
  return scene;
}

Scene leak_small_process(Draft draft) {
  Scene scene = make_leak_scene(draft);
  scene.base_mb = draft.rng.log_uniform(18, 80);
  scene.floor_mb.assign(scene.size(), scene.base_mb);
  scene.noise = {.sd_mb = scene.base_mb * draft.rng.log_uniform(0.0005, 0.006),
                 .phi = draft.rng.uniform(0, 0.8)};
  scene.page = Page::Small;
  scene.chunk_mb = 0;
  leak_line(scene, 0, scene.base_mb * draft.rng.log_uniform(0.4, 1.5));
  return scene;
}

Scene leak_huge_process(Draft draft) {
  Scene scene = make_leak_scene(draft);
  const double scale = draft.rng.log_uniform(5e5, 3e6) / scene.base_mb;
  scene.base_mb *= scale;
  scene.noise.sd_mb *= scale;
  scene.noise.wander_mb *= scale;
  scene.noise.outlier_mb *= scale;
  scene.noise.dip_mb *= scale;
  scene.floor_mb.assign(scene.size(), scene.base_mb);
  leak_line(scene, 0, draw_growth_mb(draft, scene));
  return scene;
}

Scene leak_short_log(Draft draft) {
  Scene scene = make_leak_scene(draft, 24, 60, 1.6);
  scene.noise = {.sd_mb = scene.base_mb * draft.rng.log_uniform(0.0005, 0.004),
                 .phi = draft.rng.uniform(0, 0.4)};
  leak_line(scene, 0, draw_growth_mb(draft, scene, 0.06));
  if (scene.size() < 30) scene.also_right = {model::VerdictKind::Inconclusive};
  return scene;
}

Scene leak_irregular_times(Draft draft) {
  Scene scene = make_leak_scene(draft, 100, 0, 1.5);
  // Samples arrive at events of the job, not at regular times.
  const double mean_steps = scene.span_steps() / static_cast<double>(scene.size() - 1);
  const double step_s = (scene.at_s.back() - scene.at_s.front()) / scene.span_steps();
  for (std::size_t i = 1; i < scene.size(); ++i) {
    const double steps = std::ceil(draft.rng.exponential(mean_steps));
    scene.step[i] = scene.step[i - 1] + steps;
    scene.at_s[i] = scene.at_s[i - 1] + std::max(0.001, steps * step_s * draft.rng.uniform(0.8, 1.2));
  }
  leak_line(scene, 0, draw_growth_mb(draft, scene));
  return scene;
}

// malloc_trim gives back what was free; what leaked goes on growing.
Scene leak_with_trims(Draft draft) {
  Scene scene = make_leak_scene(draft, 100, 0, 2.2);
  const double growth = draw_growth_mb(draft, scene, 0.06);
  leak_line(scene, 0, growth);
  const int trims = draft.rng.whole(1, 3);
  double at = 0.1;
  for (int k = 0; k < trims; ++k) {
    at = draft.rng.uniform(at, 0.2 + 0.12 * k);
    lift(scene, index_at(scene, at), -growth * at * draft.rng.uniform(0.2, 0.6));
    scene.shown_from = index_at(scene, at);
    at += 0.08;
  }
  return scene;
}

Scene leak_after_decline(Draft draft) {
  Scene scene = make_leak_scene(draft, 80, 0, 1.8);
  const std::size_t turn = index_at(scene, draft.rng.uniform(0.15, 0.35));
  lift(scene, 0, scene.base_mb * 0.1);
  raise(scene, 0, turn, -scene.base_mb * 0.1);
  leak_line(scene, turn, draw_growth_mb(draft, scene, 0.03));
  return scene;
}

constexpr std::array kFamilies = {
    Family{"leak_linear", leak_linear},
    Family{"leak_val_spikes_4gb", leak_val_spikes_4gb},
    Family{"leak_late_start", leak_late_start},
    Family{"leak_val_only_stairs", leak_val_only_stairs},
    Family{"leak_per_epoch", leak_per_epoch},
    Family{"leak_gc_sawtooth", leak_gc_sawtooth},
    Family{"leak_noise_dominated", leak_noise_dominated},
    Family{"leak_accelerating", leak_accelerating},
    Family{"leak_after_warmup", leak_after_warmup},
    Family{"leak_children_pile_up", leak_children_pile_up},
    Family{"leak_two_restarts", leak_two_restarts},
    Family{"leak_two_slopes", leak_two_slopes},
    Family{"leak_with_plateaus", leak_with_plateaus},
    Family{"leak_in_evaluation", leak_in_evaluation},
    Family{"leak_under_decaying_warmup", leak_under_decaying_warmup},
    Family{"leak_huge_pages", leak_huge_pages},
    Family{"leak_gpu_reserved", leak_gpu_reserved},
    Family{"leak_kb_per_step", leak_kb_per_step},
    Family{"leak_week_long", leak_week_long},
    Family{"leak_small_process", leak_small_process},
    Family{"leak_huge_process", leak_huge_process},
    Family{"leak_short_log", leak_short_log},
    Family{"leak_irregular_times", leak_irregular_times},
    Family{"leak_irregular_gc", leak_irregular_gc},
    Family{"leak_with_trims", leak_with_trims},
    Family{"leak_after_decline", leak_after_decline},
};

}  // namespace

std::span<const Family> leak_families() {
  return kFamilies;
}

}  // namespace lowtide::bench
