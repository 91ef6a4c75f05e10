# What goes into a wheel (pyproject.toml). The program is the command itself: it goes where commands go, with no Python in
# front of it, and the agent to where watch/entry/agent_preload.cpp looks for it from there.
install(TARGETS lowtide RUNTIME DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT wheel)
install(TARGETS lowtide_agent LIBRARY DESTINATION "${SKBUILD_DATA_DIR}/lib/lowtide" COMPONENT wheel)
install(TARGETS lowtide_native LIBRARY DESTINATION lowtide COMPONENT wheel)
