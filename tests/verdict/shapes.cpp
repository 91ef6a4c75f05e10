#include "verdict/shapes.h"

#include <algorithm>
#include <cmath>

namespace lowtide::bench {

using model::VerdictKind;

std::size_t index_at(const Scene& scene, double share) {
  for (std::size_t i = 0; i < scene.size(); ++i) {
    if (scene.along(i) >= share) return i;
  }
  return scene.size() - 1;
}

double draw_growth_mb(Draft draft, const Scene& scene, double at_least_share) {
  const double low = std::max(draft.knobs.leak_share_min, at_least_share);
  const double drawn =
      scene.base_mb * draft.rng.log_uniform(low, std::max(draft.knobs.leak_share_max, 1.5 * low));
  return std::max(drawn, 1.05 * material_mb(draft.knobs, scene.base_mb));
}

void raise(Scene& scene, std::size_t from, std::size_t to, double mb) {
  const double span = scene.step[to] - scene.step[from];
  for (std::size_t i = from; i < scene.size(); ++i) {
    const double done = span > 0 ? std::min(1.0, (scene.step[i] - scene.step[from]) / span) : 1.0;
    scene.floor_mb[i] += mb * done;
  }
}

void lift(Scene& scene, std::size_t at, double mb) {
  for (std::size_t i = at; i < scene.size(); ++i) scene.floor_mb[i] += mb;
}

void mark_leak(Scene& scene, std::size_t from) {
  scene.kind = VerdictKind::Leak;
  scene.leak_from = from;
  const double span = scene.step.back() - scene.step[from];
  if (span > 0) scene.leak_mb_per_step = (scene.floor_mb.back() - scene.floor_mb[from]) / span;
}

void leak_line(Scene& scene, std::size_t from, double total_mb) {
  raise(scene, from, scene.size() - 1, total_mb);
  scene.kind = VerdictKind::Leak;
  scene.leak_from = from;
  scene.leak_mb_per_step = total_mb / (scene.step.back() - scene.step[from]);
}

void warm_up_line(Draft draft, Scene& scene, std::size_t end, double low_mb) {
  const double begin_step = scene.step.front();
  const double span = std::max(1e-9, scene.step[end] - begin_step);
  const double rounding = draft.knobs.knee_rounding * draft.rng.uniform();
  for (std::size_t i = 0; i < scene.size(); ++i) {
    const double x = (scene.step[i] - begin_step) / span;
    double missing = std::max(0.0, 1 - x);
    // A soft knee: the last stretch decays instead of stopping dead.
    if (rounding > 0) missing = 0.25 * rounding * std::log1p(std::exp((1 - x) / (0.25 * rounding)));
    scene.floor_mb[i] -= low_mb * missing;
  }
  scene.kind = VerdictKind::Warmup;
  scene.warmup_end = end;
  scene.plateau_mb = scene.base_mb;
}

void warm_up_exponential(Scene& scene, double tau_share, double low_mb) {
  for (std::size_t i = 0; i < scene.size(); ++i) {
    scene.floor_mb[i] -= low_mb * std::exp(-scene.along(i) / tau_share);
  }
  scene.kind = VerdictKind::Warmup;
  scene.warmup_end = index_at(scene, 3 * tau_share);
  scene.plateau_mb = scene.base_mb;
}

int add_spikes(Draft draft, Scene& scene, const SpikePlan& plan) {
  Rng& rng = draft.rng;
  const auto samples = static_cast<double>(scene.size());
  int count = 0;
  double at = std::max(plan.first_share * samples, plan.period_samples * rng.uniform(0.3, 1));
  while (at < samples - 1) {
    const double height = plan.height_mb * std::max(0.2, 1 + plan.height_spread * rng.normal());
    const auto begin = static_cast<std::size_t>(at);
    const auto length =
        static_cast<std::size_t>(std::max(1.0, std::round(plan.length_samples * rng.uniform(0.7, 1.3))));
    for (std::size_t i = begin; i < std::min(begin + length, scene.size()); ++i) {
      scene.excess_mb[i] += height * rng.uniform(0.85, 1);
    }
    ++count;
    at += std::max(static_cast<double>(length) + 2,
                   plan.period_samples * (1 + plan.period_spread * rng.normal()));
  }
  // A run that ends inside an excursion does not show whether it recovers.
  for (std::size_t i = scene.size() - std::min<std::size_t>(scene.size(), 3); i < scene.size(); ++i) {
    scene.excess_mb[i] = 0;
  }
  return count;
}

int add_teeth(Draft draft, Scene& scene, double period_samples, double height_mb, double period_spread) {
  Rng& rng = draft.rng;
  int whole = 0;
  double phase = rng.uniform();
  double period = period_samples;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    scene.excess_mb[i] += height_mb * phase;
    phase += 1 / period;
    if (phase < 1) continue;
    phase -= std::floor(phase);
    period = period_samples * std::max(0.4, 1 + period_spread * rng.normal());
    ++whole;
  }
  return whole;
}

std::array<std::size_t, 3> restart_twice(Draft draft, Scene& scene, double from_zero_chance) {
  Rng& rng = draft.rng;
  const std::size_t second = index_at(scene, rng.uniform(0.28, 0.36));
  const std::size_t third = index_at(scene, rng.uniform(0.58, 0.68));
  const bool from_zero = rng.chance(from_zero_chance);
  const double lost_share = rng.uniform(0, 0.1);  // of what was done since the last start
  double delay_s = 0;
  double steps_back = 0;
  std::size_t begin = 0;
  const std::vector<double> done = scene.step;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    if (i == second || i == third) {
      delay_s += rng.log_uniform(5, 120);
      steps_back = from_zero ? done[i] : steps_back + std::round(lost_share * (done[i] - done[begin]));
      begin = i;
    }
    scene.at_s[i] += delay_s;
    scene.step[i] -= steps_back;
  }
  scene.restarts = 2;
  return {0, second, third};
}

}  // namespace lowtide::bench
