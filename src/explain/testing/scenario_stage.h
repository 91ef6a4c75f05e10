// The tree as a play: processes with what they own, ticks that add it up. For the
// scenarios only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/tick.h"
#include "record/writer.h"

namespace lowtide::explain {

inline constexpr double kMB = 1e6;
inline constexpr double kGB = 1e9;
inline constexpr int kTicks = 600;

inline std::uint64_t whole(double bytes) {
  return static_cast<std::uint64_t>(std::llround(std::max(0.0, bytes)));
}

// The tree as a play: processes with what they own, ticks that add it up.
class Stage {
 public:
  explicit Stage(record::Writer& writer, std::uint64_t seed = 42) : writer_(writer), state_(seed) {}

  struct Actor {
    model::ProcessInfo info;
    bool on = true;
    double own = 0;
    double shared = 0;  // resident, but not its own: pages of the parent
    double file = 0;
    double shmem = 0;  // part of own
  };

  std::size_t enter(std::int64_t pid, std::int64_t ppid, model::ProcessRole role, std::string command,
                    double at_s = 0) {
    Actor actor;
    actor.info.id = model::ProcessId{static_cast<std::uint32_t>(actors_.size() + 1)};
    actor.info.pid = pid;
    actor.info.ppid = ppid;
    actor.info.role = role;
    actor.info.command = std::move(command);
    actor.info.started_s = at_s;
    actors_.push_back(actor);
    writer_.begin_process(actor.info);
    return actors_.size() - 1;
  }
  std::size_t follow(std::size_t before, std::int64_t pid, double at_s) {
    const Actor& old = actors_[before];
    const std::size_t at = enter(pid, old.info.ppid, old.info.role, std::string(old.info.command), at_s);
    actors_[at].info.continues = actors_[before].info.id;
    actors_[at].info.index = actors_[before].info.index;
    writer_.update_process(actors_[at].info);
    return at;
  }
  void leave(std::size_t at, double at_s, int status) {
    actors_[at].on = false;
    actors_[at].info.ended_s = at_s;
    actors_[at].info.exit_status = status;
    writer_.update_process(actors_[at].info);
  }

  Actor& operator[](std::size_t at) { return actors_[at]; }
  std::size_t size() const { return actors_.size(); }

  double noise(double bytes) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return bytes * (static_cast<double>(state_ >> 40U) / static_cast<double>(1U << 24U) - 0.5);
  }

  model::Tick tick(double at_s, double step) {
    model::Tick tick;
    tick.at_s = at_s;
    tick.step = step;
    tick.target.exact = true;
    for (const Actor& actor : actors_) {
      if (!actor.on) continue;
      model::ProcessReading reading;
      reading.id = actor.info.id;
      reading.own_bytes = whole(actor.own);
      reading.rss_bytes = whole(actor.own + actor.shared + actor.file);
      reading.anon_bytes = whole(actor.own - actor.shmem + actor.shared);
      reading.file_bytes = whole(actor.file);
      reading.shmem_bytes = whole(actor.shmem);
      reading.pss = model::PssReading{whole(actor.own + actor.file),
                                      whole(actor.own - actor.shmem),
                                      whole(actor.shmem),
                                      whole(actor.file),
                                      whole(actor.own),
                                      whole(actor.own)};
      tick.target.bytes += reading.own_bytes;
      tick.target.rss_bytes += reading.rss_bytes;
      tick.target.file_bytes += reading.file_bytes;
      ++tick.target.processes;
      tick.processes.push_back(reading);
    }
    return tick;
  }
  void put(const model::Tick& tick) {
    writer_.add(tick);
    writer_.commit();
    if (after_tick) after_tick(tick);
  }
  // Called when a tick is in the file; see write_scenario().
  static inline std::function<void(const model::Tick&)> after_tick = {};
  void end(double at_s, int status = 0) {
    for (std::size_t at = 0; at < actors_.size(); ++at) {
      if (actors_[at].on) leave(at, at_s, status);
    }
    writer_.commit();
  }
  record::Writer& writer() { return writer_; }

 private:
  record::Writer& writer_;
  std::vector<Actor> actors_;
  std::uint64_t state_;
};

inline double settled(int tick) {  // imports and the model: grown after ten seconds
  return std::min(1.0, 0.2 + 0.08 * tick);
}

}  // namespace lowtide::explain
