// Moves the write-ahead log into the database, on a thread of its own.
//
// A commit only appends to the log, which the page cache takes in microseconds.
// Now and then the log must be moved over, and before and after that the disk
// must have it (fsync), or a power cut could tear the file. On a machine that is
// writing a checkpoint of a model an fsync lasts seconds: the tick loop cannot
// wait for that.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "record/sqlite.h"

namespace lowtide::record {

class Checkpointer {
 public:
  // Null if no second connection or thread can be created; the writer then does it itself.
  static std::unique_ptr<Checkpointer> start(const std::string& path);

  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;
  Checkpointer(Checkpointer&&) = delete;
  Checkpointer& operator=(Checkpointer&&) = delete;
  ~Checkpointer();

  // Asks for a checkpoint and returns at once.
  void poke();

 private:
  explicit Checkpointer(Database database);
  void work();

  Database database_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool wanted_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace lowtide::record
