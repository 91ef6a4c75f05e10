// What memory does, as strokes on a Scene; families are made of them.
#pragma once

#include <array>
#include <cstddef>

#include "verdict/scene.h"

namespace lowtide::bench {

// The first sample at or after `share` of the run, along the steps.
[[nodiscard]] std::size_t index_at(const Scene& scene, double share);

// A growth worth calling a leak, drawn log-uniformly between the corpus' shares of the level.
[[nodiscard]] double draw_growth_mb(Draft draft, const Scene& scene, double at_least_share = 0);

// The floor rises by `mb` from sample `from` to sample `to`, in a line along the steps, and stays.
void raise(Scene& scene, std::size_t from, std::size_t to, double mb);

// The floor is `mb` higher from sample `at` on.
void lift(Scene& scene, std::size_t at, double mb);

// A leak in a line from sample `from` to the end: floor and truth.
void leak_line(Scene& scene, std::size_t from, double total_mb);

// Truth of a leak whose floor is already drawn: the mean pace from `from` to the end.
void mark_leak(Scene& scene, std::size_t from);

// The floor comes from `low_mb` under the level up to it by sample `end`, then is flat: floor and truth.
void warm_up_line(Draft draft, Scene& scene, std::size_t end, double low_mb);
// The same as 1 - exp(-u / tau); the end is where 95% of the rise is done.
void warm_up_exponential(Scene& scene, double tau_share, double low_mb);

struct SpikePlan {
  double period_samples = 20;
  double length_samples = 2;
  double height_mb = 0;
  double height_spread = 0.1;  // relative
  double period_spread = 0.05;
  double first_share = 0.02;
};

// Excursions that recover at once. Returns how many there were.
int add_spikes(Draft draft, Scene& scene, const SpikePlan& plan);

// Garbage piles up and is collected. Returns the number of whole teeth.
int add_teeth(Draft draft, Scene& scene, double period_samples, double height_mb, double period_spread);

// Makes three processes of the run: time is lost between them, and the steps go on from the last
// checkpoint or, with this chance, from zero. Returns the first sample of each.
std::array<std::size_t, 3> restart_twice(Draft draft, Scene& scene, double from_zero_chance);

}  // namespace lowtide::bench
