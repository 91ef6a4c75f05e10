// The floor under any monitor: statm and status of every process, read once a
// tick from descriptors that stay open, and nothing done with them.
//
// bare_reads TICKS INTERVAL_MS PID...   prints the CPU microseconds per tick and process
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

double cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int ticks = std::atoi(argv[1]);
  const std::chrono::milliseconds interval(std::atoi(argv[2]));
  std::vector<int> files;
  for (int at = 3; at < argc; ++at) {
    for (const char* name : {"statm", "status"}) {
      files.push_back(::open(("/proc/" + std::string(argv[at]) + "/" + name).c_str(), O_RDONLY | O_CLOEXEC));
    }
  }
  std::array<char, 8192> buffer{};
  const double began_us = cpu_us();
  for (int tick = 0; tick < ticks; ++tick) {
    for (const int file : files) {
      if (::pread(file, buffer.data(), buffer.size(), 0) < 0) return 3;
    }
    std::this_thread::sleep_for(interval);
  }
  std::printf("%.3f\n", (cpu_us() - began_us) / ticks / (static_cast<double>(files.size()) / 2));
  return 0;
}
