// `--screen`: what the watch knows, on the whole terminal, while the job runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "console/user_error.h"
#include "screen/display.h"
#include "screen/holder_lines.h"
#include "screen/process_lines.h"
#include "screen/site_lines.h"
#include "screen/terminal.h"
#include "screen/view.h"
#include "watch/job_output.h"
#include "watch/watch.h"

namespace lowtide::watch {

class LiveScreen {
 public:
  struct Options {
    std::string job;
    std::int64_t pid = 0;
    std::string recording = {};
    bool is_child = false;              // started by us: q closes the screen, and the watching goes on
    const JobOutput* output = nullptr;  // must outlive the screen
  };

  // Why there can be none here; to be asked before the job is started.
  static std::optional<console::UserError> find_trouble();

  // Where the terminal cannot be had after all, it is never open.
  explicit LiveScreen(Options options);

  [[nodiscard]] bool is_open() const { return terminal_.has_value(); }
  [[nodiscard]] int fd() const { return terminal_->fd(); }

  // After every tick: also while it is paused, so that nothing is missing afterwards.
  void take_tick(const Watch& watch);
  // The next key that asks something of the watching; None when there is none.
  screen::ScreenAction take_keys();
  void take_new_size();
  void say(std::string notice);

  // Gives the terminal back.
  void close() { terminal_.reset(); }
  // The same, for a reader who has seen enough of a job that goes on.
  void leave();

 private:
  void take_news(const Watch& watch);
  void make_view(const Watch& watch);
  void make_tables(const Watch& watch);
  void draw();

  Options options_;
  std::optional<screen::Terminal> terminal_;
  screen::Display display_;
  screen::View view_;
  screen::ProcessLines processes_;
  screen::SiteLines sites_;
  screen::HolderLines holders_;
  std::uint64_t peak_bytes_ = 0;
  double next_view_s_ = 0;
};

}  // namespace lowtide::watch
