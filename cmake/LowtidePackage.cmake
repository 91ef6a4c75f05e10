# What is installed, and the two packages made of it: a .deb that depends on the
# distribution's libraries (preset `ship`), and a .tar.gz whose binary depends on
# nothing (preset `portable`). `./dev package` makes both.
include(GNUInstallDirs)

# Manual and completions are made from the binary's own --help, so that they
# cannot promise a flag that is not there.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(manual_dir "${PROJECT_BINARY_DIR}/manual")
add_custom_command(
  OUTPUT "${manual_dir}/lowtide.1" "${manual_dir}/lowtide.bash"
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/make_manual.py" "$<TARGET_FILE:lowtide>" "${manual_dir}"
  DEPENDS lowtide "${PROJECT_SOURCE_DIR}/tools/make_manual.py"
  VERBATIM)
add_custom_target(manual DEPENDS "${manual_dir}/lowtide.1" "${manual_dir}/lowtide.bash")

install(TARGETS lowtide RUNTIME)
install(FILES "${manual_dir}/lowtide.1" TYPE MAN RENAME lowtide.1 OPTIONAL)
install(FILES "${manual_dir}/lowtide.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        RENAME lowtide OPTIONAL)
install(FILES LICENSE README.md CHANGELOG.md TYPE DOC)
install(FILES docs/json.md docs/architecture.md DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs")

set(CPACK_PACKAGE_VENDOR "lowtide")
set(CPACK_PACKAGE_CONTACT "the lowtide developers <lowtide@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Tells whether the memory growth of a training job is a leak")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME "lowtide-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION "devel")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_GENERATOR "TGZ")
include(CPack)
