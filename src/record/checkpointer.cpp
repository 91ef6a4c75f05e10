#include "record/checkpointer.h"

#include <csignal>
#include <system_error>
#include <utility>

namespace lowtide::record {

Checkpointer::Checkpointer(Database database) : database_(std::move(database)) {}

std::unique_ptr<Checkpointer> Checkpointer::start(const std::string& path) {
  auto opened = Database::open(path, SQLITE_OPEN_READWRITE);
  if (!opened.ok() ||
      opened.value().execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -64") != SQLITE_OK) {
    return nullptr;
  }
  // NOLINTNEXTLINE(modernize-make-unique): the constructor is private
  std::unique_ptr<Checkpointer> made(new Checkpointer(std::move(opened).value()));
  // Signals belong to the tick loop, which waits for them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    made->thread_ = std::thread([raw = made.get()] { raw->work(); });
  } catch (const std::system_error&) {
    made.reset();  // a limit on threads: no reason not to record
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return made;
}

Checkpointer::~Checkpointer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  woken_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Checkpointer::poke() {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
  }
  woken_.notify_one();
}

void Checkpointer::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    woken_.wait(lock, [this] { return wanted_ || stopping_; });
    if (stopping_) {
      return;
    }
    wanted_ = false;
    lock.unlock();
    // Passive: waits for nobody. What fails now is asked for again at the next
    // commit; a disk that stays full shows there too.
    sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    lock.lock();
  }
}

}  // namespace lowtide::record
