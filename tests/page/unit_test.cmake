# cmake -D NPM= -D WEB= -P unit_test.cmake: runs the unit tests of web/. Where npm or its packages are missing, the
# output has a line "SKIPPED web.unit: why".
cmake_minimum_required(VERSION 3.25)

if(NOT NPM)
  message(NOTICE "SKIPPED web.unit: npm is not here (apt-get install npm)")
  return()
endif()
if(NOT EXISTS "${WEB}/node_modules/vitest")
  message(NOTICE "SKIPPED web.unit: vitest is not installed (cd web && npm ci)")
  return()
endif()
execute_process(COMMAND "${NPM}" test --silent WORKING_DIRECTORY "${WEB}" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "npm test failed")
endif()
