// Where the stub says how it went.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "attach/stub_block.h"
#include "base/fd.h"
#include "base/result.h"

namespace lowtide::attach {

class ReportSocket {
 public:
  // Makes the socket; it goes with the object. `uid` is the target's: it must be able
  // to write there. `path` is the target's. `folder` is the one that it lies in: its owner may put a link in
  // its place, so the socket is made and removed through `folder`.
  static base::Result<ReportSocket> bind(std::string path, uid_t uid, base::Fd folder);
  ~ReportSocket();
  ReportSocket(ReportSocket&& other) noexcept = default;
  ReportSocket& operator=(ReportSocket&&) = delete;
  ReportSocket(const ReportSocket&) = delete;
  ReportSocket& operator=(const ReportSocket&) = delete;

  // The next report with this token that came from `pid`, within the limit.
  [[nodiscard]] std::optional<StubReport> wait(pid_t pid, std::uint64_t token,
                                               std::chrono::milliseconds limit) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  ReportSocket(base::Fd socket, std::string path, base::Fd folder)
      : socket_(std::move(socket)), path_(std::move(path)), folder_(std::move(folder)) {}

  [[nodiscard]] std::optional<StubReport> receive(pid_t pid, std::uint64_t token) const;

  base::Fd socket_;
  std::string path_;
  base::Fd folder_;
};

}  // namespace lowtide::attach
