#include "observe/package_version.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace lowtide::observe {
namespace {

namespace fs = std::filesystem;

class Packages : public testing::Test {
 protected:
  Packages() {
    std::string name = (fs::temp_directory_path() / "lowtide-packages-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    fs::create_directories(site());
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path site() const { return folder_ / "lib/python3.11/site-packages"; }

  void install(const std::string& distribution, const char* list = nullptr, const std::string& text = "") {
    fs::create_directories(site() / distribution);
    if (list != nullptr) std::ofstream(site() / distribution / list) << text;
  }

  [[nodiscard]] std::string version_of(const std::string& module) const {
    return read_package_version(1, (site() / module).string(), "/nowhere").value_or("none");
  }

  fs::path folder_;
};

TEST_F(Packages, version_is_in_the_name_of_the_folder) {
  install("pyarrow-17.0.0.dist-info");
  install("numpy-1.24.2-py3.11.egg-info");
  install("faiss_cpu-1.9.0.post1.dist-info");
  install("ujson-5.1.0.dist-info");

  EXPECT_EQ(version_of("pyarrow/libarrow.so.1700"), "17.0.0");
  EXPECT_EQ(version_of("numpy/core/_multiarray_umath.so"), "1.24.2");
  EXPECT_EQ(version_of("numpy.libs/libopenblas.so"), "1.24.2");
  EXPECT_EQ(version_of("ujson.cpython-311-x86_64-linux-gnu.so"), "5.1.0");
  EXPECT_EQ(version_of("faiss/_swigfaiss.so"), "none") << "no file says that it is faiss_cpu";
}

TEST_F(Packages, distribution_of_another_name_is_found_by_its_lists) {
  install("Pillow-11.0.0.dist-info", "top_level.txt", "PIL\n");
  install("scikit_learn-1.5.2.dist-info", "RECORD",
          "sklearn_helpers/a.py,,\nsklearn/__init__.py,sha256=x,12\n");
  install("broken-1.0.dist-info", "top_level.txt", "mySKLEARN\nPILLOW\n");

  EXPECT_EQ(version_of("PIL/_imaging.so"), "11.0.0");
  EXPECT_EQ(version_of("sklearn/tree/_tree.so"), "1.5.2");
  EXPECT_EQ(version_of("cv2/cv2.abi3.so"), "none");
}

TEST_F(Packages, names_that_are_no_versions_are_ignored) {
  install("lxml-\x1b[31m.dist-info");
  install("lxml.dist-info");
  install("lxml-" + std::string(100, '1') + ".dist-info");

  EXPECT_EQ(version_of("lxml/etree.so"), "none");
  EXPECT_EQ(read_package_version(1, "/usr/lib/libsqlite3.so.0", "/nowhere"), std::nullopt);
  EXPECT_EQ(read_package_version(1, "/x/site-packages/", "/nowhere"), std::nullopt);
}

}  // namespace
}  // namespace lowtide::observe
