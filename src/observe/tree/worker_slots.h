// Which series a process goes on with.
//
// DataLoader workers are started again at every epoch. To a person "worker 2" is
// one thing, and its memory one series: a new worker takes the lowest number
// that is free below its parent, and continues what had that number before.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/process.h"

namespace lowtide::observe {

class WorkerSlots {
 public:
  struct Place {
    int number = 0;                             // among its like, from 0
    std::optional<model::ProcessId> continues;  // who had the place before
  };

  // `parent` in the words of the lanes: all workers of one trainer are alike,
  // and so are the workers of its successor. `kind` distinguishes programs.
  Place take(model::ProcessId id, std::optional<model::ProcessId> parent, model::ProcessRole role,
             const std::string& kind);
  void leave(model::ProcessId id);

 private:
  using Key = std::tuple<std::size_t, model::ProcessRole, std::string>;
  struct Slot {
    std::size_t lane = 0;
    bool taken = false;
    model::ProcessId latest{};
  };

  std::size_t lanes_ = 0;
  std::map<Key, std::vector<Slot>> slots_;
  struct Living {
    std::size_t lane = 0;
    Key key;
    std::size_t number = 0;
  };
  std::map<model::ProcessId, Living> living_;
};

}  // namespace lowtide::observe
