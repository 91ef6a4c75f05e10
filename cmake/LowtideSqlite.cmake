# SQLite, for the recording: target SQLite::SQLite3.
#
# A cross build has the header, which is the same for every architecture, but no
# library unless it is told of one (-DSQLite3_LIBRARY=...). Then src/record is
# compiled and not linked: LOWTIDE_SQLITE_MISSING tells whoever would link it.
block(PROPAGATE LOWTIDE_SQLITE_MISSING)
  if(LOWTIDE_PORTABLE)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  elseif(LOWTIDE_BUNDLED)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  endif()
  if(CMAKE_CROSSCOMPILING)
    find_package(SQLite3 QUIET)
  else()
    find_package(SQLite3 REQUIRED)
  endif()
  set(LOWTIDE_SQLITE_MISSING OFF)
  if(NOT TARGET SQLite::SQLite3)
    set(LOWTIDE_SQLITE_MISSING ON)
    message(WARNING "no libsqlite3 for ${CMAKE_SYSTEM_PROCESSOR}: src/record is compiled, but its tests are LEFT OUT, "
                    "and so is every program that writes or reads recordings. To have them: -DSQLite3_LIBRARY=/path/to/libsqlite3.a")
    add_library(SQLite::SQLite3 INTERFACE IMPORTED GLOBAL)
  elseif(LOWTIDE_BUNDLED)
    # What the archive itself needs: mathematics for its SQL functions, dlopen
    # for extensions, which we never load.
    set_property(TARGET SQLite::SQLite3 APPEND PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads m ${CMAKE_DL_LIBS})
  endif()
endblock()
