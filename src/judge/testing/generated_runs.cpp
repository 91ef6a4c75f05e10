#include "judge/testing/generated_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

namespace lowtide::judge::testing {
namespace {

// The distributions of the standard library differ between implementations, the engine does not.
class Random {
 public:
  Random(std::uint64_t seed, std::size_t index) : engine_(seed * 1000003 + index) { engine_.discard(16); }

  double uniform(double low, double high) {
    const double share = static_cast<double>(engine_() >> 11U) / 9007199254740992.0;
    return low + (high - low) * share;
  }
  double log_uniform(double low, double high) { return low * std::exp(uniform(0, std::log(high / low))); }
  bool chance(double share) { return uniform(0, 1) < share; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
    return radius * std::cos(2 * std::numbers::pi * uniform(0, 1));
  }

 private:
  std::mt19937_64 engine_;
};

// All amounts are shares of the base level, all positions are counted in readings.
struct Plan {
  double leak = 0;  // per 1,000 readings
  double leak_from = 0;
  double warmup = 0;
  double warmup_readings = 1;
  bool warmup_bends = false;  // exponential instead of straight
  double stairs = 0;          // readings per stair: the leak rises in jumps; 0: evenly
  double spike = 0;
  double spike_every = 0;
  double spike_length = 1;
  bool teeth = false;  // excursions rise evenly and fall at once
};

void add_spikes(Random& random, Plan& plan) {
  plan.spike_every = random.log_uniform(8, 60);
  plan.spike_length = std::max(1.0, plan.spike_every * random.uniform(0.05, 0.3));
  plan.spike = random.log_uniform(0.1, 1);
}

void add_warmup(Random& random, Plan& plan) {
  plan.warmup = random.log_uniform(0.1, 2);
  plan.warmup_readings = random.log_uniform(10, 300);
}

// What a family has is drawn in the order of the members, so that a seed keeps its runs.
struct Family {
  std::string_view name;
  bool leaks = false;
  bool warms_up = false;
  bool has_spikes = false;
  void (*change)(Random& random, Plan& plan) = [](Random&, Plan&) {};
};
constexpr std::array kFamilies = {
    Family{.name = "leak", .leaks = true},
    Family{.name = "leak after a warm-up",
           .leaks = true,
           .warms_up = true,
           .change = [](Random& random, Plan& plan) { plan.warmup_bends = random.chance(0.5); }},
    Family{.name = "leak that starts late",
           .leaks = true,
           .change = [](Random& random, Plan& plan) { plan.leak_from = random.log_uniform(30, 400); }},
    Family{.name = "leak under spikes", .leaks = true, .has_spikes = true},
    Family{.name = "leak in stairs",
           .leaks = true,
           .change = [](Random& random, Plan& plan) { plan.stairs = random.log_uniform(8, 50); }},
    Family{.name = "straight warm-up", .warms_up = true},
    Family{.name = "bent warm-up",
           .warms_up = true,
           .change = [](Random&, Plan& plan) { plan.warmup_bends = true; }},
    Family{.name = "warm-up under spikes", .warms_up = true, .has_spikes = true},
    Family{.name = "spikes", .has_spikes = true},
    Family{.name = "teeth", .has_spikes = true, .change = [](Random&, Plan& plan) { plan.teeth = true; }},
    Family{.name = "noise"}};

Plan draw_plan(const Family& family, Random& random) {
  Plan plan;
  if (family.leaks) plan.leak = random.log_uniform(0.05, 3);
  if (family.warms_up) add_warmup(random, plan);
  if (family.has_spikes) add_spikes(random, plan);
  family.change(random, plan);
  return plan;
}

double floor_at(const Plan& plan, double reading) {
  double leaking = std::max(0.0, reading - plan.leak_from);
  if (plan.stairs > 0) leaking = std::floor(leaking / plan.stairs) * plan.stairs;
  const double done = reading / plan.warmup_readings;
  const double warm = plan.warmup_bends ? 1 - std::exp(-3 * done) : std::min(1.0, done);
  return 1 + plan.leak * leaking / 1000 + plan.warmup * warm;
}

double excursion_at(const Plan& plan, double reading) {
  if (plan.spike_every <= 0) return 0;
  const double place = std::fmod(reading + 0.4 * plan.spike_every, plan.spike_every);
  if (plan.teeth) return plan.spike * place / plan.spike_every;
  return place < plan.spike_length ? plan.spike : 0;
}

}  // namespace

GeneratedRun generate_run(std::uint64_t seed, std::size_t index, std::size_t readings) {
  Random random(seed, index);
  const Family& family = kFamilies[index % kFamilies.size()];
  const Plan plan = draw_plan(family, random);
  const double base = random.log_uniform(2e8, 4e10);
  const double noise_sd = random.log_uniform(0.0003, 0.03);
  const double memory = random.chance(0.5) ? 0 : random.uniform(0.3, 0.9);  // of the noise
  const bool has_steps = random.chance(0.75);
  const double steps = std::floor(random.log_uniform(1, 20));  // per reading
  const double seconds = random.log_uniform(0.25, 10);

  GeneratedRun out{.family = family.name, .samples = {}};
  out.samples.reserve(readings);
  double shake = random.normal();
  for (std::size_t at = 0; at < readings; ++at) {
    const auto reading = static_cast<double>(at);
    shake = memory * shake + std::sqrt(1 - memory * memory) * random.normal();
    const double share = floor_at(plan, reading) + excursion_at(plan, reading) + noise_sd * shake;
    out.samples.push_back({.at_s = seconds * reading,
                           .step = has_steps ? steps * reading : model::kUnknown,
                           .bytes = static_cast<std::uint64_t>(base * std::max(0.01, share))});
  }
  return out;
}

}  // namespace lowtide::judge::testing
