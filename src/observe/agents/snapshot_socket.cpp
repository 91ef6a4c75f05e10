#include "observe/agents/snapshot_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "observe/agents/snapshot_records.h"
#include "observe/agents/socket_folder.h"
#include "observe/agents/walker_watch.h"

namespace lowtide::observe {
namespace {

using Clock = std::chrono::steady_clock;

// True when something is there to read, or the other end is gone.
bool wait_for(int fd, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waited{fd, POLLIN, 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(std::min<long>(left + 1, 1000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

double steady_s() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// Its connection closes a moment before it can be reaped.
void await_end(WalkerWatch& walker) {
  const auto until = Clock::now() + std::chrono::seconds(1);
  while (!walker.has_ended() && Clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

base::Error failure(std::string message) {
  return {base::ErrorCode::Io, std::move(message)};
}

}  // namespace

base::Result<SnapshotSocket> SnapshotSocket::open() {
  auto place = open_agent_socket();
  if (!place) return std::move(place).error();
  return SnapshotSocket(std::move(place).value());
}

SnapshotSocket::SnapshotSocket(SnapshotSocket&& other) noexcept
    : place_{std::exchange(other.place_.folder, {}), std::move(other.place_.socket)} {}

SnapshotSocket::~SnapshotSocket() {
  if (place_.folder.empty()) return;
  // What else may lie there is not ours to remove: a script that the process has not come to yet
  // (attach/remote_exec.h) removes itself and the folder.
  const base::Fd folder(::open(place_.folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.valid()) ::unlinkat(folder.get(), std::string(kSocketName).c_str(), 0);
  ::rmdir(place_.folder.c_str());
}

std::string SnapshotSocket::path() const {
  return place_.folder + '/' + std::string(kSocketName);
}

base::Result<model::Snapshot> SnapshotSocket::receive(std::chrono::milliseconds to_come,
                                                      std::chrono::milliseconds to_end) {
  const auto come_until = Clock::now() + to_come;
  std::optional<AgentHello> walk = place_.socket.receive();
  while (!walk || !walk->is_walk) {
    if (Clock::now() >= come_until) {
      return base::Error{base::ErrorCode::Gone, "the forked child died at once, or got no CPU time"};
    }
    // Its message may follow its connection a moment later, without a new connection.
    constexpr std::chrono::milliseconds kNap{10};
    wait_for(place_.socket.fd(), Clock::now() + kNap);
    walk = place_.socket.receive();
  }
  // It says nothing more: what ends the waiting is its own end.
  const auto end_until = Clock::now() + to_end;
  WalkerWatch walker(walk->pid);
  constexpr std::chrono::milliseconds kLookAgain{500};
  while (!wait_for(walk->connection.get(), std::min(end_until, Clock::now() + kLookAgain)) &&
         Clock::now() < end_until) {
    if (!walker.is_stuck(steady_s())) continue;
    walker.end();
    await_end(walker);
    return base::Error{base::ErrorCode::Gone,
                       "the forked child waited for a lock that a thread of the job held at the fork"};
  }
  await_end(walker);
  auto snapshot = read_snapshot(walk->file);
  if (!snapshot || snapshot.value().objects != 0) return snapshot;
  // It ends itself when its time is over.
  constexpr std::chrono::seconds kAtMostBefore{1};
  if (Clock::now() >= end_until - kAtMostBefore) {
    return failure("the forked child did not finish counting the objects in time");
  }
  return base::Error{base::ErrorCode::Gone, "the forked child died while it counted the objects"};
}

}  // namespace lowtide::observe
