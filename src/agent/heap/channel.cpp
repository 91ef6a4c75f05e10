#include "agent/heap/channel.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

#include "agent/cuda/driver_report.h"
#include "agent/heap/clock.h"
#include "agent/heap/live_table.h"
#include "agent/heap/mappings.h"
#include "agent/heap/memory.h"
#include "agent/heap/monitor_socket.h"
#include "agent/heap/pace.h"
#include "agent/heap/ring.h"
#include "agent/heap/seccomp.h"
#include "agent/heap/send_descriptor.h"
#include "agent/heap/system_call.h"
#include "agent/heap/text.h"
#include "agent/heap/thread_state.h"
#include "agent/python/python.h"

// What pthread_atfork calls; by this name it is in every glibc's libc.so.
// NOLINTNEXTLINE(readability-identifier-naming): glibc's name
extern "C" __attribute__((weak)) int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(),
                                                       void* library);

namespace lowtide::agent {

constinit std::atomic<Power> g_power{Power::Asleep};
constinit Ring g_ring;

namespace {

constexpr std::uint64_t kSilenceNs = 10'000'000'000;  // so long may a monitor not read
constexpr std::uint64_t kRetryNs = 50'000'000;
constexpr std::uint32_t kMaxTries = 40;
constexpr std::size_t kPageBytes = 4096;

constexpr std::uint32_t kFresh = 0;
constexpr std::uint32_t kOpening = 1;
constexpr std::uint32_t kReady = 2;

// Zero in a forked child.
struct Mark {
  std::atomic<std::uint32_t> phase;
  std::int32_t pid;
};

constinit Mark* g_mark = nullptr;
constinit bool g_wipes = false;
constinit wire::Header* g_header = nullptr;
constinit std::atomic<std::uint32_t> g_epoch{0};
constinit std::atomic<std::uint64_t> g_last_heartbeat{0};
constinit std::atomic<std::uint64_t> g_heard_ns{0};
constinit std::atomic<std::uint64_t> g_retry_at_ns{0};
constinit std::uint32_t g_tries = 0;
constinit sockaddr_un g_address = {};
constinit std::int32_t g_monitor_pid = 0;

constinit std::atomic<std::uint32_t> g_table_users{0};

// Of the live table: all, or few where the job has a limit on its address space (ulimit -v).
constinit std::uint32_t g_mapped_chunks = wire::kChunks;

std::uint64_t map_bytes() {
  return wire::kHeaderBytes + 2 * wire::kRingBytes + wire::chunk_offset(g_mapped_chunks);
}

void choose_chunks() {
  constexpr std::uint32_t kFewChunks = 2;  // 1.3 MB; all four take 22 MB
  std::uint64_t limits[2] = {0, 0};
  const bool is_limited =
      !failed(system_call(SYS_prlimit64, 0, RLIMIT_AS, 0, as_word(&limits))) && limits[0] != RLIM64_INFINITY;
  g_mapped_chunks = is_limited ? kFewChunks : wire::kChunks;
}

// Without waiting. What is sent is there for the monitor also after a close.
long connect_monitor() {
  return connect_to_monitor(g_address, SOCK_NONBLOCK, &g_monitor_pid);
}

// 0, or -errno.
long send_hello(wire::AgentState state, wire::OffReason reason, int fd) {
  wire::Hello hello{wire::kMagic,
                    wire::kVersion,
                    state,
                    reason,
                    own_pid(),
                    static_cast<std::int32_t>(system_call(SYS_getppid)),
                    python_version(),
                    {}};
  const long socket = connect_monitor();
  if (failed(socket)) {
    return socket;
  }
  const long sent = send_descriptor(socket, &hello, sizeof(hello), fd, MSG_DONTWAIT);
  system_call(SYS_close, socket);
  return failed(sent) ? sent : 0;
}

bool map_part(char* at, std::uint64_t bytes, long fd, std::uint64_t offset) {
  return !failed(system_call(SYS_mmap, as_word(at), static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_FIXED, fd, static_cast<long>(offset)));
}

// header, ring, ring once more, table.
char* map_file(long fd) {
  choose_chunks();
  const long reserved = system_call(SYS_mmap, 0, static_cast<long>(map_bytes()), PROT_NONE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (failed(reserved)) {
    return nullptr;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
  auto* base = reinterpret_cast<char*>(reserved);
  constexpr std::uint64_t kFront = wire::kHeaderBytes + wire::kRingBytes;
  if (map_part(base, kFront, fd, 0) && map_part(base + kFront, wire::kRingBytes, fd, wire::kHeaderBytes) &&
      map_part(base + kFront + wire::kRingBytes, wire::chunk_offset(g_mapped_chunks), fd, kFront) &&
      populate(base, kPageBytes) && populate(base + wire::kHeaderBytes, wire::kRingBytes)) {
    return base;
  }
  system_call(SYS_munmap, reserved, static_cast<long>(map_bytes()));
  return nullptr;
}

void fill_header(wire::Header& header, std::uint64_t now_ns) {
  header.magic = wire::kMagic;
  header.version = wire::kVersion;
#if defined(__x86_64__)
  header.machine = wire::Machine::Amd64;
#else
  header.machine = wire::Machine::Aarch64;
#endif
  header.file_bytes = wire::file_bytes();
  header.ring_offset = wire::kHeaderBytes;
  header.ring_bytes = wire::kRingBytes;
  header.table_offset = wire::kHeaderBytes + wire::kRingBytes;
  header.opened_ns = now_ns;
  header.pid = own_pid();
  header.parent_pid = static_cast<std::int32_t>(system_call(SYS_getppid));
  header.agent.python_version.store(python_version(), std::memory_order_relaxed);
  header.agent.python_state.store(static_cast<std::uint32_t>(python_state()), std::memory_order_relaxed);
  header.agent.mean_bytes.store(g_pace.mean_bytes(), std::memory_order_relaxed);
  publish_driver(header.driver);
  header.agent.state.store(static_cast<std::uint32_t>(wire::AgentState::On), std::memory_order_release);
}

// The memory file, sealed so that the reader cannot be hit by SIGBUS either; or -errno.
long make_file() {
  // Beyond this limit ftruncate sends SIGXFSZ, which ends the job.
  std::uint64_t limits[2] = {0, 0};
  if (failed(system_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, as_word(&limits))) ||
      limits[0] < wire::file_bytes()) {
    return -EFBIG;
  }
  const long fd = system_call(SYS_memfd_create, as_word("lowtide-agent"), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (failed(fd)) {
    return fd;
  }
  constexpr long kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (failed(system_call(SYS_ftruncate, fd, static_cast<long>(wire::file_bytes()))) ||
      failed(system_call(SYS_fcntl, fd, F_ADD_SEALS, kSeals))) {
    system_call(SYS_close, fd);
    return -ENOMEM;
  }
  return fd;
}

// Unmaps what a child inherited from its parent; the mapping of the parent is not affected. The tables are
// reset even if nothing is mapped: at the time of the fork another thread of the parent may have been
// initializing them.
void drop_inherited() {
  if (g_header != nullptr) {
    system_call(SYS_munmap, as_word(g_header), static_cast<long>(map_bytes()));
    g_header = nullptr;
    g_epoch.fetch_add(1, std::memory_order_relaxed);
    g_tries = 0;
  }
  g_live.forget();
  g_mappings.forget();
}

bool open_file(std::uint64_t now_ns) {
  const long fd = make_file();
  char* base = failed(fd) ? nullptr : map_file(fd);
  if (base == nullptr) {
    system_call(SYS_close, fd);
    send_hello(wire::AgentState::Off, wire::OffReason::NoMemory, -1);
    switch_off(wire::OffReason::NoMemory);
    return false;
  }
  auto* header = reinterpret_cast<wire::Header*>(base);
  fill_header(*header, now_ns);
  g_ring.open(header, base + wire::kHeaderBytes);
  const bool has_table =
      g_live.open(header, base + wire::kHeaderBytes + 2 * wire::kRingBytes, g_mapped_chunks);
  const long sent =
      has_table ? send_hello(wire::AgentState::On, wire::OffReason::None, static_cast<int>(fd)) : -ENOMEM;
  system_call(SYS_close, fd);
  if (sent == 0) {
    g_heard_ns.store(now_ns, std::memory_order_relaxed);
    g_last_heartbeat.store(0, std::memory_order_relaxed);
    g_header = header;
    return true;
  }
  system_call(SYS_munmap, as_word(base), static_cast<long>(map_bytes()));
  g_live.forget();
  // A full queue empties again; anything else means that there is nobody.
  if (sent != -EAGAIN || ++g_tries > kMaxTries) {
    switch_off(wire::OffReason::NoMonitor);
  }
  return false;
}

bool open_once(std::uint64_t now_ns) {
  // A vfork child of a process that has no file yet: the file would be taken for the child's.
  if (g_mark->pid != 0 && g_mark->pid != own_pid()) {
    return false;
  }
  std::uint32_t fresh = kFresh;
  if (now_ns < g_retry_at_ns.load(std::memory_order_relaxed) ||
      !g_mark->phase.compare_exchange_strong(fresh, kOpening, std::memory_order_acquire)) {
    return false;
  }
  drop_inherited();
  g_mark->pid = own_pid();
  if (has_new_filters()) {
    leave_before_filter();
    return false;
  }
  const bool opened = open_file(now_ns);
  g_retry_at_ns.store(opened ? 0 : now_ns + kRetryNs, std::memory_order_relaxed);
  g_mark->phase.store(opened ? kReady : kFresh, std::memory_order_release);
  return opened;
}

// Quiet while the monitor does not read; frees go on being noted, so that nothing is
// wrong when it comes back.
bool is_heard(std::uint64_t now_ns) {
  const std::uint64_t heartbeat = g_header->monitor.heartbeat.load(std::memory_order_relaxed);
  if (heartbeat != g_last_heartbeat.load(std::memory_order_relaxed)) {
    g_last_heartbeat.store(heartbeat, std::memory_order_relaxed);
    g_heard_ns.store(now_ns, std::memory_order_relaxed);
    g_header->agent.state.store(static_cast<std::uint32_t>(wire::AgentState::On), std::memory_order_relaxed);
    if (g_header->monitor.asked_off.load(std::memory_order_relaxed) != 0) {
      switch_off(wire::OffReason::DetachAsked);
      return false;
    }
    return true;
  }
  if (now_ns - g_heard_ns.load(std::memory_order_relaxed) < kSilenceNs) {
    return true;
  }
  g_header->agent.state.store(static_cast<std::uint32_t>(wire::AgentState::Quiet), std::memory_order_relaxed);
  return false;
}

// The same as a wiped page, where the kernel only claims to wipe (qemu does so).
void begin_child() {
  // With its parent's count every child would sample the same allocations.
  draw_at_next(t_thread);
  g_mark->pid = 0;
  g_mark->phase.store(kFresh, std::memory_order_release);
}

bool make_mark() {
  void* page = map_private(kPageBytes);
  if (page == nullptr) {
    return false;
  }
  constexpr long kWipeOnFork = 18;  // since Linux 4.14
  g_wipes = system_call(SYS_madvise, as_word(page), kPageBytes, kWipeOnFork) == 0;
  g_mark = static_cast<Mark*>(page);
  g_mark->pid = own_pid();
  if (__register_atfork != nullptr) {
    __register_atfork(nullptr, nullptr, begin_child, nullptr);
  }
  return true;
}

bool set_address(const char* path) {
  g_address.sun_family = AF_UNIX;
  for (std::size_t at = 0; at < sizeof(g_address.sun_path); ++at) {
    g_address.sun_path[at] = path[at];
    if (path[at] == 0) {
      return at > 0;
    }
  }
  return false;
}

}  // namespace

void start_channel(const char* socket_path) {
  const bool ready = set_address(socket_path) && make_mark();
  g_power.store(ready ? Power::On : Power::Off, std::memory_order_release);
}

TableUse::TableUse() {
  g_table_users.fetch_add(1, std::memory_order_seq_cst);
}
TableUse::~TableUse() {
  g_table_users.fetch_sub(1, std::memory_order_release);
}

// A thread that comes after the change of the phase sees it, and a thread that came before is counted.
bool release_channel() {
  if (g_mark == nullptr || g_header == nullptr) {
    return true;
  }
  const std::uint32_t before = g_mark->phase.exchange(kOpening, std::memory_order_seq_cst);
  constexpr int kTries = 200;
  for (int tries = 0; tries < kTries; ++tries) {
    if (g_table_users.load(std::memory_order_seq_cst) == 0) {
      drop_inherited();
      g_mark->phase.store(kFresh, std::memory_order_release);
      return true;
    }
    const timespec nap{0, 100'000};
    system_call(SYS_nanosleep, as_word(&nap), 0);
  }
  g_mark->phase.store(before, std::memory_order_release);
  return false;
}

bool resume_channel(const char* socket_path) {
  if (!release_channel() || !set_address(socket_path) || (g_mark == nullptr && !make_mark())) {
    return false;
  }
  g_tries = 0;
  g_retry_at_ns.store(0, std::memory_order_relaxed);
  return true;
}

bool is_answered_elsewhere(const char* socket_path) {
  if (equal(g_address.sun_path, socket_path)) {
    return false;
  }
  const long socket = connect_monitor();
  if (failed(socket)) {
    return false;
  }
  system_call(SYS_close, socket);
  return true;
}

void decline(const char* socket_path, wire::OffReason reason) {
  g_power.store(Power::Off, std::memory_order_release);
  if (set_address(socket_path)) {
    send_hello(wire::AgentState::Off, reason, -1);
  }
}

bool owns_tables() {
  return g_mark != nullptr && !is_behind_filter() &&
         g_mark->phase.load(std::memory_order_acquire) == kReady && (g_wipes || g_mark->pid == own_pid());
}

bool may_record(std::uint64_t now_ns) {
  if (g_power.load(std::memory_order_relaxed) != Power::On) {
    return false;
  }
  const std::uint32_t phase = g_mark->phase.load(std::memory_order_acquire);
  if (phase == kReady) {
    return (g_wipes || g_mark->pid == own_pid()) && is_heard(now_ns);
  }
  return phase == kFresh && open_once(now_ns);
}

const char* monitor_path() {
  return g_address.sun_path;
}

std::int32_t monitor_pid() {
  return g_monitor_pid;
}

wire::Header* header() {
  return g_header;
}

void switch_off(wire::OffReason reason) {
  g_power.store(Power::Off, std::memory_order_release);
  if (g_header != nullptr && owns_tables()) {
    g_header->agent.reason.store(static_cast<std::uint32_t>(reason), std::memory_order_relaxed);
    g_header->agent.state.store(static_cast<std::uint32_t>(wire::AgentState::Off), std::memory_order_release);
  }
}

void count_drop(wire::Drop kind, std::uint64_t weight_bytes) {
  g_header->agent.drops[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
  g_header->agent.dropped_bytes[static_cast<std::size_t>(kind)].fetch_add(weight_bytes,
                                                                          std::memory_order_relaxed);
}

std::uint32_t epoch() {
  return g_epoch.load(std::memory_order_relaxed);
}

}  // namespace lowtide::agent
