// Which pids the kernel may have given out since we last looked.
//
// It counts upwards and begins again at the bottom when the top is reached, so
// two readings of the newest pid bound what lies between. A process we know
// about can have been replaced under its number only in there: all others need
// not be looked at again, and when the newest is still the same nobody has come.
#pragma once

#include <cstdint>

namespace lowtide::observe {

class RecentPids {
 public:
  // The newest pid now; below 0 when it is unknown. False: none was given out.
  bool note(std::int64_t newest) {
    after_ = newest_;
    newest_ = newest;
    return after_ != newest_ || newest_ < 0;
  }

  // Whether `pid` may have been given out between the two latest notes.
  [[nodiscard]] bool may_include(std::int64_t pid) const {
    if (after_ < 0 || newest_ < 0) return true;
    if (after_ <= newest_) return pid > after_ && pid <= newest_;
    return pid > after_ || pid <= newest_;
  }

 private:
  std::int64_t after_ = -1;
  std::int64_t newest_ = -1;
};

}  // namespace lowtide::observe
