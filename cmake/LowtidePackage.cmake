# What is installed, and the two packages made of it: a .deb that depends on the
# distribution's libraries (preset `ship`), and a .tar.gz whose binary depends on
# nothing (preset `portable`). `./dev package` makes both.
include(GNUInstallDirs)

# Manual and completions are made by the binary itself, so that they cannot
# promise a flag that is not there. Not part of `all`: they need a binary that runs here.
set(manual_dir "${PROJECT_BINARY_DIR}/manual")
set(manual_files "${manual_dir}/lowtide.1" "${manual_dir}/lowtide.bash" "${manual_dir}/lowtide.zsh" "${manual_dir}/lowtide.fish")
add_custom_command(
  OUTPUT ${manual_files}
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${manual_dir}"
  COMMAND lowtide --help-man > "${manual_dir}/lowtide.1"
  COMMAND lowtide completion bash > "${manual_dir}/lowtide.bash"
  COMMAND lowtide completion zsh > "${manual_dir}/lowtide.zsh"
  COMMAND lowtide completion fish > "${manual_dir}/lowtide.fish"
  DEPENDS lowtide)
add_custom_target(manual DEPENDS ${manual_files})

install(TARGETS lowtide RUNTIME)
# Where watch/entry/agent_preload.cpp looks for it, whatever the architecture.
install(TARGETS lowtide_agent LIBRARY DESTINATION lib/lowtide)
install(FILES "${manual_dir}/lowtide.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" OPTIONAL)
install(FILES "${manual_dir}/lowtide.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        RENAME lowtide OPTIONAL)
install(FILES "${manual_dir}/lowtide.zsh" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions"
        RENAME _lowtide OPTIONAL)
install(FILES "${manual_dir}/lowtide.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" OPTIONAL)
install(FILES LICENSE README.md CHANGELOG.md TYPE DOC)
install(FILES docs/json.md docs/recording.md docs/architecture.md DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs")

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
