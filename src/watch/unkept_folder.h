// The folder of a recording that nobody keeps (--no-recording).
//
// The judge of a running job and the report at the end read a file, so there must be one. A monitor that is
// killed cannot remove it: the next one that keeps no recording does. A living monitor holds a lock on its
// folder, which the kernel releases when it ends; unlike a pid in a name, this also holds where containers
// share the temporary folder.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace lowtide::watch {

class UnkeptFolder {
 public:
  // Removes what killed monitors of the same user have left in `parent`, and makes a folder there.
  static base::Result<UnkeptFolder> make(const std::string& parent);

  UnkeptFolder(UnkeptFolder&& other) noexcept;
  UnkeptFolder& operator=(UnkeptFolder&& other) noexcept;
  UnkeptFolder(const UnkeptFolder&) = delete;
  UnkeptFolder& operator=(const UnkeptFolder&) = delete;
  // Removes the folder and its files. A forked process leaves it to its parent.
  ~UnkeptFolder() { remove(); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  UnkeptFolder(std::string path, base::Fd lock);

  void remove();

  std::string path_;
  base::Fd lock_;
  pid_t owner_ = 0;
};

}  // namespace lowtide::watch
