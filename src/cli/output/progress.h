#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace lowtide::cli {

// Shows the progress of reading a long file: one line on standard error, after the first second, erased at
// the end. Only on a terminal.
//
// Its own thread reads the file offset, so that the reader needs no code for it.
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
