// A training job as the generator imagines it, before anybody has measured it.
//
// series = floor(step) + excursions + noise, then what measuring does to it:
// pages, lost samples, gaps, missing steps. A family writes the floor, the
// excursions and the truth into a Scene; observe() does the rest.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "verdict/rng.h"
#include "verdict/series.h"

namespace lowtide::bench {

// The ranges from which a corpus is drawn. `shifted()` moves nearly all of them:
// a detector that was tuned on the first corpus must still stand on the second.
struct Knobs {
  double noise_factor = 1;
  double phi_max = 0.9;
  double wander_factor = 1;
  double drop_max = 0.12;
  double steps_gone = 0.10;    // share of series without any step
  double steps_partly = 0.12;  // share of series with holes in the steps
  double samples_max = 2600;
  double base_min_mb = 1000;
  double base_max_mb = 60000;
  double step_s_min = 0.05;
  double step_s_max = 5;
  double leak_share_min = 0.02;  // of the level, over the run
  double leak_share_max = 0.60;
  double leak_steps_min = 500;  // a leak is labelled so only if it was seen this long
  double cut_steps_max = 350;   // growth since the start is labelled unknown up to here
  double knee_rounding = 0;     // share of the warm-up over which its end is rounded
  double spike_min_mb = 3000;
  double spike_max_mb = 5000;
  double tooth_max = 0.40;  // height of a GC tooth as a share of the level
  double startup = 0.5;     // share of series that begin under their level
};
[[nodiscard]] Knobs plain_knobs();
[[nodiscard]] Knobs shifted_knobs();

// What lies over the floor without meaning anything.
struct Noise {
  double sd_mb = 0;  // AR(1)
  double phi = 0;
  double wander_mb = 0;  // slow, mean-reverting
  double wander_samples = 1;
  double outlier_rate = 0;  // single samples caught in flight
  double outlier_mb = 0;
  double dip_rate = 0;  // trims that refill within samples
  double dip_mb = 0;
};

enum class Page { Small, Huge };  // 4 kB, 2 MiB

struct Scene {
  std::vector<double> step;  // of every sample taken; never missing here
  std::vector<double> at_s;
  std::vector<double> floor_mb;
  std::vector<double> excess_mb;  // on top of the floor; recovers
  double base_mb = 0;             // the level that shares refer to
  Noise noise;
  Page page = Page::Small;
  double chunk_mb = 0;  // the allocator grows by this much at a time; 0 = smooth
  bool starts_low = false;
  bool keeps_steps = false;    // the label rests on them: some may be missing, never all
  bool keeps_samples = false;  // samples are never removed

  model::VerdictKind kind = model::VerdictKind::Inconclusive;
  std::vector<model::VerdictKind> also_right;
  std::optional<double> leak_mb_per_step;
  std::optional<std::size_t> leak_from;   // index of a sample
  std::optional<std::size_t> shown_from;  // the leak must be visible from here on alone; else from leak_from
  std::optional<std::size_t> warmup_end;  // index of a sample
  std::optional<double> plateau_mb;
  int restarts = 0;

  [[nodiscard]] std::size_t size() const { return step.size(); }
  [[nodiscard]] double span_steps() const { return step.back() - step.front(); }
  // 0 at the first sample, 1 at the last, along the steps.
  [[nodiscard]] double along(std::size_t i) const {
    return span_steps() > 0 ? (step[i] - step.front()) / span_steps() : 0;
  }
};

// The random source and the ranges: what every family draws from.
struct Draft {
  Rng& rng;
  const Knobs& knobs;
};

struct Extent {
  double samples_min = 60;
  double samples_max = 0;  // 0 = the corpus' own
  double steps_min = 0;
  double steps_max = 0;  // 0 = no limit
};

// Axes, level, noise and page size; floor flat at the level, no excursions, no truth.
[[nodiscard]] Scene make_scene(Draft draft, const Extent& extent);

// How surely a leak from `from` on can be seen: the slope of the floor over its
// standard error for an observer who knows the noise (generalised least squares,
// long-run variance of AR(1) and wander). Excursions are not counted against it.
[[nodiscard]] double ideal_z(const Scene& scene, std::size_t from);

// The least growth that is labelled a leak: 60 MB or a share of the level,
// but for small processes a third of the level is enough.
[[nodiscard]] double material_mb(const Knobs& knobs, double base_mb);

// Adds noise and measures. Truth indices are moved to the samples that are left.
[[nodiscard]] Series observe(Draft draft, const Scene& scene);

}  // namespace lowtide::bench
