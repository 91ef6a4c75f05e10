# elfutils (libdw, libelf) and liblzma, for src/symbols: target lowtide_elfutils.
#
# A cross build has the headers, which are the same for every architecture, but
# no libraries unless it is told of them (-DLOWTIDE_LIBDW=... and so on). Then
# src/symbols is compiled and not linked: LOWTIDE_ELFUTILS_MISSING tells whoever
# would link it.
block(PROPAGATE LOWTIDE_ELFUTILS_MISSING)
  if(LOWTIDE_PORTABLE)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  elseif(LOWTIDE_BUNDLED)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  endif()
  find_path(LOWTIDE_LIBDW_INCLUDE elfutils/libdw.h REQUIRED)
  find_library(LOWTIDE_LIBDW dw)
  find_library(LOWTIDE_LIBELF elf)
  find_library(LOWTIDE_LIBLZMA lzma)
  add_library(lowtide_elfutils INTERFACE)
  set(LOWTIDE_ELFUTILS_MISSING OFF)
  if(LOWTIDE_LIBDW AND LOWTIDE_LIBELF AND LOWTIDE_LIBLZMA)
    target_link_libraries(lowtide_elfutils INTERFACE ${LOWTIDE_LIBDW} ${LOWTIDE_LIBELF} ${LOWTIDE_LIBLZMA})
    if(LOWTIDE_BUNDLED)
      # What the archives themselves need; zstd from elfutils 0.189 on.
      find_library(LOWTIDE_LIBZ z)
      find_library(LOWTIDE_LIBBZ2 bz2)
      find_library(LOWTIDE_LIBZSTD zstd)
      foreach(archive IN ITEMS LOWTIDE_LIBZ LOWTIDE_LIBBZ2 LOWTIDE_LIBZSTD)
        if(${archive})
          target_link_libraries(lowtide_elfutils INTERFACE ${${archive}})
        endif()
      endforeach()
      target_link_libraries(lowtide_elfutils INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
    endif()
  elseif(CMAKE_CROSSCOMPILING)
    set(LOWTIDE_ELFUTILS_MISSING ON)
    message(WARNING "no libdw for ${CMAKE_SYSTEM_PROCESSOR}: src/symbols is compiled, but its tests with real files are LEFT OUT. "
                    "To have them: -DLOWTIDE_LIBDW=/path/to/libdw.a, and so for LOWTIDE_LIBELF and LOWTIDE_LIBLZMA")
  else()
    message(FATAL_ERROR "libdw, libelf or liblzma is missing: on Debian and Ubuntu, apt-get install libdw-dev liblzma-dev")
  endif()
endblock()
