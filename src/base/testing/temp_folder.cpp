#include "base/testing/temp_folder.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/check.h"

namespace lowtide::base {
namespace {

class TempFolder {
 public:
  TempFolder() : path_((std::filesystem::temp_directory_path() / "lowtide-test-XXXXXX").string()) {
    LOWTIDE_CHECK(::mkdtemp(path_.data()) != nullptr, "no folder for temporary files");
    path_ += '/';
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder(TempFolder&&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  TempFolder& operator=(TempFolder&&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

const std::string& temp_folder() {
  static const TempFolder kFolder;
  return kFolder.path();
}

}  // namespace lowtide::base
