#include "verdict/scene.h"

#include <algorithm>
#include <cmath>

namespace lowtide::bench {
namespace {

using model::VerdictKind;

constexpr double kSmallPageMb = 4096 / kBytesPerMb;
constexpr double kHugePageMb = 2097152 / kBytesPerMb;

// Logging every k steps, or a timer that asks the trainer for its step.
void lay_axes(Draft draft, const Extent& extent, Scene& scene) {
  Rng& rng = draft.rng;
  const double samples_max = extent.samples_max > 0 ? extent.samples_max : draft.knobs.samples_max;
  const auto samples =
      static_cast<std::size_t>(std::lround(rng.log_uniform(extent.samples_min, samples_max)));
  double every = rng.pick({1, 2, 5, 5, 10, 10, 10, 20, 25, 50});
  const double intervals = static_cast<double>(std::max<std::size_t>(samples, 2) - 1);
  if (extent.steps_min > 0) every = std::max(every, std::ceil(extent.steps_min / intervals));
  if (extent.steps_max > 0) every = std::max(1.0, std::min(every, std::floor(extent.steps_max / intervals)));
  const double step_s = rng.log_uniform(draft.knobs.step_s_min, draft.knobs.step_s_max);
  const bool by_timer = rng.chance(0.35);
  const double jitter = by_timer ? rng.uniform(0, 0.08) : 0;
  const double speed_jitter = rng.uniform(0.01, 0.15);

  double at_s = 0;
  double step = by_timer ? rng.uniform(0, every) : every;
  for (std::size_t i = 0; i < samples; ++i) {
    scene.at_s.push_back(std::round(at_s * 1000) / 1000);
    scene.step.push_back(by_timer ? std::floor(step) : step);
    const double pace = std::exp(speed_jitter * rng.normal());
    const double steps = every * (by_timer ? std::max(0.1, (1 + jitter * rng.normal()) / pace) : 1);
    step += steps;
    at_s += steps * step_s * pace;
  }
}

Noise draw_noise(Draft draft, double base_mb) {
  Rng& rng = draft.rng;
  const Knobs& knobs = draft.knobs;
  Noise noise;
  noise.sd_mb = base_mb * knobs.noise_factor * rng.log_uniform(0.0002, 0.006);
  noise.phi = rng.uniform(0, knobs.phi_max);
  if (rng.chance(0.25)) {
    noise.wander_mb = base_mb * knobs.wander_factor * rng.log_uniform(0.0005, 0.003);
    noise.wander_samples = rng.log_uniform(8, 40);
  }
  if (rng.chance(0.2)) {
    noise.outlier_rate = rng.log_uniform(0.002, 0.015);
    noise.outlier_mb = base_mb * rng.log_uniform(0.01, 0.08);
  }
  if (rng.chance(0.1)) {
    noise.dip_rate = rng.log_uniform(0.002, 0.01);
    noise.dip_mb = base_mb * rng.log_uniform(0.01, 0.10);
  }
  return noise;
}

std::vector<double> render_noise(Rng& rng, const Noise& noise, std::size_t samples) {
  std::vector<double> values(samples, 0.0);
  const double kick = noise.sd_mb * std::sqrt(1 - noise.phi * noise.phi);
  const double slow_phi = std::exp(-1 / noise.wander_samples);
  const double slow_kick = noise.wander_mb * std::sqrt(1 - slow_phi * slow_phi);
  double fast = noise.sd_mb * rng.normal();
  double slow = noise.wander_mb * rng.normal();
  std::size_t dip_left = 0;
  double dip_mb = 0;
  for (double& value : values) {
    value = fast + slow;
    fast = noise.phi * fast + kick * rng.normal();
    slow = slow_phi * slow + slow_kick * rng.normal();
    if (rng.chance(noise.outlier_rate)) value += noise.outlier_mb * rng.uniform(0.3, 1);
    if (dip_left == 0 && rng.chance(noise.dip_rate)) {
      dip_left = 1 + rng.index(3);
      dip_mb = noise.dip_mb * rng.uniform(0.3, 1);
    }
    if (dip_left > 0) {
      value -= dip_mb;
      --dip_left;
    }
  }
  return values;
}

// Loading a model and a first batch: under the level for a handful of samples.
void start_low(Rng& rng, const Scene& scene, std::vector<double>& rss_mb) {
  const std::size_t longest = std::max<std::size_t>(1, std::min<std::size_t>(5, scene.size() / 25));
  const std::size_t samples = 1 + rng.index(longest);
  const double from = rng.uniform(0.3, 0.9);
  for (std::size_t i = 0; i < samples && i < rss_mb.size(); ++i) {
    rss_mb[i] *= from + (1 - from) * static_cast<double>(i) / static_cast<double>(samples);
  }
}

// Which samples were written down at all.
std::vector<bool> draw_kept(Draft draft, const Scene& scene) {
  Rng& rng = draft.rng;
  std::vector<bool> kept(scene.size(), true);
  if (scene.keeps_samples || scene.size() < 20) return kept;
  const double drop = rng.chance(0.5) ? rng.uniform(0, draft.knobs.drop_max) : 0;
  for (std::size_t i = 1; i < kept.size(); ++i) kept[i] = !rng.chance(drop);
  if (rng.chance(0.15)) {
    const std::size_t length = 1 + scene.size() * static_cast<std::size_t>(rng.whole(1, 8)) / 100;
    const std::size_t from = 1 + rng.index(scene.size() - length - 1);
    std::fill_n(kept.begin() + static_cast<std::ptrdiff_t>(from), length, false);
  }
  return kept;
}

void forget_steps(Draft draft, const Scene& scene, std::vector<double>& step) {
  Rng& rng = draft.rng;
  const double draw = rng.uniform();
  const double share = rng.uniform(0.05, 0.6);
  if (draw < draft.knobs.steps_gone) {
    if (scene.keeps_steps) return;
    std::fill(step.begin(), step.end(), model::kUnknown);
  } else if (draw < draft.knobs.steps_gone + draft.knobs.steps_partly) {
    for (double& value : step) {
      if (rng.chance(share)) value = model::kUnknown;
    }
  }
}

}  // namespace

Knobs plain_knobs() {
  return {};
}

Knobs shifted_knobs() {
  return {.noise_factor = 1.7,
          .phi_max = 0.96,
          .wander_factor = 1.7,
          .drop_max = 0.25,
          .steps_gone = 0.20,
          .steps_partly = 0.20,
          .samples_max = 3500,
          .base_min_mb = 500,
          .base_max_mb = 90000,
          .step_s_min = 0.1,
          .step_s_max = 20,
          .leak_share_min = 0.015,
          .leak_share_max = 0.35,
          .leak_steps_min = 400,
          .cut_steps_max = 450,
          .knee_rounding = 0.3,
          .spike_min_mb = 500,
          .spike_max_mb = 10000,
          .tooth_max = 0.70,
          .startup = 0.65};
}

Scene make_scene(Draft draft, const Extent& extent) {
  Scene scene;
  lay_axes(draft, extent, scene);
  Rng& rng = draft.rng;
  scene.base_mb = rng.log_uniform(draft.knobs.base_min_mb, draft.knobs.base_max_mb);
  scene.noise = draw_noise(draft, scene.base_mb);
  scene.page = rng.chance(0.2) ? Page::Huge : Page::Small;
  scene.chunk_mb = rng.chance(0.2) ? rng.pick({4, 8, 16, 32, 64}) : 0;
  // A chunk that is a visible share of the level would make its own staircase.
  scene.chunk_mb = std::min(scene.chunk_mb, 0.002 * scene.base_mb);
  scene.starts_low = rng.chance(draft.knobs.startup);
  scene.floor_mb.assign(scene.size(), scene.base_mb);
  scene.excess_mb.assign(scene.size(), 0.0);
  return scene;
}

double ideal_z(const Scene& scene, std::size_t from) {
  const std::size_t end = scene.size();
  if (from + 3 >= end) return 0;
  const auto samples = static_cast<double>(end - from);
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t i = from; i < end; ++i) {
    mean_x += scene.step[i] / samples;
    mean_y += scene.floor_mb[i] / samples;
  }
  double sxx = 0;
  double sxy = 0;
  for (std::size_t i = from; i < end; ++i) {
    sxx += (scene.step[i] - mean_x) * (scene.step[i] - mean_x);
    sxy += (scene.step[i] - mean_x) * (scene.floor_mb[i] - mean_y);
  }
  if (sxx <= 0) return 0;
  const Noise& noise = scene.noise;
  const double page_mb = scene.page == Page::Huge ? kHugePageMb : kSmallPageMb;
  const double fast = noise.sd_mb * noise.sd_mb * (1 + noise.phi) / (1 - noise.phi);
  const double slow = noise.wander_mb * noise.wander_mb * std::min(2 * noise.wander_samples, samples);
  const double rounding = (page_mb * page_mb + scene.chunk_mb * scene.chunk_mb) / 12;
  return sxy / sxx / std::sqrt((fast + slow + rounding) / sxx);
}

double material_mb(const Knobs& knobs, double base_mb) {
  return std::min(std::max(60.0, knobs.leak_share_min * base_mb), base_mb / 3);
}

Series observe(Draft draft, const Scene& scene) {
  Rng& rng = draft.rng;
  std::vector<double> rss_mb = render_noise(rng, scene.noise, scene.size());
  for (std::size_t i = 0; i < scene.size(); ++i) {
    double floor_mb = scene.floor_mb[i];
    if (scene.chunk_mb > 0) floor_mb = std::ceil(floor_mb / scene.chunk_mb) * scene.chunk_mb;
    rss_mb[i] += floor_mb + scene.excess_mb[i];
  }
  if (scene.starts_low) start_low(rng, scene, rss_mb);
  const double page_mb = scene.page == Page::Huge ? kHugePageMb : kSmallPageMb;
  for (double& value : rss_mb) value = std::max(1.0, std::round(value / page_mb)) * page_mb;

  const std::vector<bool> kept = draw_kept(draft, scene);
  Series series;
  // The first kept sample at or after a latent index.
  std::vector<std::size_t> moved(scene.size() + 1, 0);
  for (std::size_t i = 0; i < scene.size(); ++i) {
    moved[i] = series.size();
    if (!kept[i]) continue;
    series.at_s.push_back(scene.at_s[i]);
    series.step.push_back(scene.step[i]);
    series.rss_mb.push_back(rss_mb[i]);
  }
  forget_steps(draft, scene, series.step);

  Truth& truth = series.truth;
  truth.kind = scene.kind;
  truth.accept = {scene.kind};
  for (const VerdictKind kind : scene.also_right) {
    if (!accepts(truth, kind)) truth.accept.push_back(kind);
  }
  truth.leak_mb_per_step = scene.leak_mb_per_step;
  truth.plateau_mb = scene.plateau_mb;
  truth.restarts = scene.restarts;
  if (scene.leak_from) {
    const std::size_t from = *scene.leak_from;
    truth.leak_start_idx = std::min(moved[from], series.size() - 1);
    truth.leak_start_step = scene.step[from];
    if (scene.leak_mb_per_step && scene.at_s.back() > scene.at_s[from]) {
      // With restarts the steps go back; what counts is the pace while running.
      double steps = 0;
      for (std::size_t i = from + 1; i < scene.size(); ++i) {
        steps += std::max(0.0, scene.step[i] - scene.step[i - 1]);
      }
      truth.leak_mb_per_s = *scene.leak_mb_per_step * steps / (scene.at_s.back() - scene.at_s[from]);
    }
  }
  if (scene.warmup_end) {
    truth.warmup_end_idx = std::min(moved[*scene.warmup_end], series.size() - 1);
    truth.warmup_end_step = scene.step[*scene.warmup_end];
  }
  return series;
}

}  // namespace lowtide::bench
