#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace lowtide::cli {

// While a long file is read: a line on standard error with how far we are, from
// the first second on, erased at the end. Only on a terminal.
//
// A thread of its own looks at the file offset, so that the reader neither
// knows nor pays; reading goes on in the thread that made this.
class Progress {
 public:
  Progress(int fd, const std::string& name);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress& operator=(Progress&&) = delete;

 private:
  void watch();

  int fd_;
  std::string name_;
  std::mutex mutex_;
  std::condition_variable done_changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace lowtide::cli
