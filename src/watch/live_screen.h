// `--screen`: shows the watched job on the whole terminal.
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
#include "watch/job/job_output.h"
#include "watch/watch.h"

namespace lowtide::watch {

class LiveScreen {
 public:
  struct Options {
    std::string job;
    std::int64_t pid = 0;
    std::string recording = {};
    bool is_child = false;              // lowtide started it: q closes the screen, and watching continues
    const JobOutput* output = nullptr;  // must outlive the screen
  };

  // Why no screen is possible here. Call it before the job is started.
  static std::optional<console::UserError> find_trouble();

  // If the terminal cannot be opened, the screen stays closed.
  explicit LiveScreen(Options options);

  [[nodiscard]] bool is_open() const { return terminal_.has_value(); }
  [[nodiscard]] int fd() const { return terminal_->fd(); }

  // Call it after every tick, also while the display is paused.
  void take_tick(const Watch& watch);
  // The next key that the watch loop must handle; None if there is none.
  screen::ScreenAction take_keys();
  void take_new_size();
  void show_notice(std::string notice);

  // Restores the terminal.
  void close() { terminal_.reset(); }
  // The same while the job keeps running.
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
