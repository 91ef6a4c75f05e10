// `lowtide serve`: the report of a recording or of a running job, for browsers and for Prometheus.

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/text.h"
#include "cli/commands/all.h"
#include "cli/input/report_recording.h"
#include "cli/output/report_style.h"
#include "cli/output/served_report.h"
#include "cli/syntax/parse.h"
#include "cli/syntax/refuse.h"
#include "console/user_error.h"
#include "serve/reachable.h"
#include "serve/server.h"
#include "watch/job/signals.h"
#include "watch/job/watcher.h"

namespace lowtide::cli {
namespace {

using console::limit_flag;
using console::takes_text;
using console::turns_on;

constexpr int kRecordingPatienceMs = 10'000;

std::optional<std::uint16_t> parse_port(const std::string& text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string recording_name(pid_t pid) {
  return fmt::format("lowtide-{:%Y%m%d-%H%M%S}-{}.lowtide", fmt::localtime(std::time(nullptr)), pid);
}

// The recording exists once the watcher has started it. If the watcher fails, it prints the reason itself.
bool await_recording(watch::Watcher& watcher, const std::string& path) {
  constexpr int kNapMs = 20;
  for (int waited_ms = 0; waited_ms < kRecordingPatienceMs; waited_ms += kNapMs) {
    if (std::holds_alternative<model::Report>(report_recording(path, std::nullopt))) return true;
    if (watcher.poll() >= 0) return false;
    ::usleep(kNapMs * 1000);
  }
  console::print_error({fmt::format("no recording was written to {}", path),
                        "the folder is not writable, or the machine is very busy",
                        "lowtide serve --output /tmp/live.lowtide PID"});
  return false;
}

struct ServeFlags {
  std::uint16_t port = 0;
  std::string address = "127.0.0.1";
  std::optional<std::uint64_t> limit_bytes = {};
  std::optional<std::string> output = {};
  bool deep = false;
};

console::ExitCode serve_recording(const std::string& path, const ServeFlags& flags) {
  auto server = serve::Server::listen(flags.address, flags.port);
  const std::string token = serve::make_token();
  if (!server || token.empty()) {
    return refuse({fmt::format("cannot listen on {} port {}: {}", flags.address, flags.port,
                               server ? "the kernel provides no random bytes" : server.error().message),
                   "this machine does not have the address, or the port is in use or needs root",
                   "lowtide serve without --port and --address"},
                  console::ExitCode::Unreadable);
  }
  watch::Signals signals;
  const bool is_loopback = server.value().is_loopback();
  ServedReport report(path, flags.limit_bytes, {.token = token, .is_loopback = is_loopback});
  const std::string address = serve::find_reachable_address(flags.address);
  const bool is_six = address.find(':') != std::string::npos;
  const std::string host = is_six ? "[" + address + "]" : address;
  const std::string base_url = fmt::format("http://{}:{}", host, server.value().port());
  if (!is_loopback) {
    console::print_warning(
        "the token is sent in clear text over the network: others on the network can read it, and then the "
        "report. Use ssh -L with the default address, or a proxy with TLS");
  }
  // The URL is the result: a script reads it from standard output.
  std::fputs(fmt::format("{}/?token={}\n", base_url, token).c_str(), stdout);
  std::fflush(stdout);
  std::fputs(
      fmt::format("lowtide: serving {}; also {}/report.json?token=... and {}/metrics{}; stop with Ctrl-C\n",
                  base::printable(path), base_url, base_url, is_loopback ? "" : "?token=...")
          .c_str(),
      stderr);
  const auto is_end = [&] {
    while (const auto signal = signals.next()) {
      if (signal->number == SIGINT || signal->number == SIGTERM || signal->number == SIGHUP) return true;
    }
    return false;
  };
  do {
    server.value().run(signals.fd(), [&](const serve::Request& request) { return report.answer(request); });
  } while (!is_end());
  return console::ExitCode::NoLeak;
}

console::ExitCode serve_process(pid_t pid, const ServeFlags& flags) {
  const std::string path = flags.output.value_or(recording_name(pid));
  watch::Settings settings;
  settings.output = path;
  settings.limit_bytes = flags.limit_bytes;
  settings.deep = flags.deep;
  settings.show_status = false;
  settings.show_report = false;
  auto watcher = watch::Watcher::start(pid, settings);
  if (!watcher) {
    return refuse({fmt::format("cannot watch process {}: {}", pid, watcher.error().message),
                   "lowtide starts a second lowtide process to watch it, and that failed",
                   fmt::format("lowtide attach {}", pid)},
                  console::ExitCode::Unreadable);
  }
  if (!await_recording(watcher.value(), path)) return console::ExitCode::Unreadable;
  return serve_recording(path, flags);
}

console::ExitCode run_serve(const ServeFlags& flags, const Words& words) {
  if (words.positionals.size() != 1) {
    return refuse({"serve needs one recording or one pid",
                   fmt::format("{} arguments were given", words.positionals.size()),
                   "lowtide serve train.lowtide"});
  }
  const std::string& what = words.positionals.front();
  if (is_number(what)) {
    if (const auto pid = parse_pid(what)) return serve_process(*pid, flags);
    return refuse(
        {fmt::format("'{}' is not a pid", what), "a pid is a number above 0", "lowtide attach --find"});
  }
  const auto first = report_recording(what, flags.limit_bytes);
  if (const auto* user_error = std::get_if<console::UserError>(&first))
    return refuse(*user_error, console::ExitCode::Unreadable);
  return serve_recording(what, flags);
}

}  // namespace

Command serve_command() {
  return with_flags<ServeFlags>(
      {"serve",
       "Serve the report of a recording or of a running job on localhost",
       "Prints a URL for a browser and serves until Ctrl-C: / is the page, /report.json the report for "
       "programs, "
       "/metrics the metrics for Prometheus. The report is updated as the recording grows. A PID is watched "
       "as by "
       "`lowtide attach`, and its recording is kept.\n"
       "The URL contains a random token. Without the token nothing is shown, except /metrics on the loopback "
       "interface, which contains numbers and no names.",
       {"REC|PID", "the recording, or the process to watch", false, {}},
       {
           {"lowtide serve train.lowtide", "show a recording in the browser, also while the job runs"},
           {"lowtide serve --port 9464 4711", "watch process 4711, with metrics on port 9464"},
           {"curl -s localhost:9464/metrics", "print the metrics"},
       }},
      {
          console::takes({"port", "N", "the port to listen on; default: any free port"}, &ServeFlags::port,
                         parse_port, {"it is a number up to 65535", "--port 9464"}),
          console::takes(
              {"address", "ADDRESS",
               "the IP address to listen on; default: 127.0.0.1. On other addresses /metrics needs the "
               "token too, and the token is sent in clear text"},
              &ServeFlags::address, [](const std::string& given) { return std::optional(given); }),
          limit_flag("the limit for the forecast; default: the limit of the cgroup or the machine",
                     &ServeFlags::limit_bytes),
          takes_text({"output", "FILE", "with a PID: write the recording to FILE"}, &ServeFlags::output),
          turns_on("deep", "with a PID: load the agent into the process (allocation sites)",
                   &ServeFlags::deep),
      },
      run_serve);
}

}  // namespace lowtide::cli
