# Bundles the report page (web/) with Debian's esbuild and Chart.js into one HTML file without data, and that into a
# source file of the library: the program then needs no other file to write a report. Sets MBLL_PAGE_SOURCE.
find_program(ESBUILD esbuild REQUIRED)
find_path(CHARTJS_DIR chart.mjs PATHS /usr/share/javascript/chart.js REQUIRED)

file(GLOB_RECURSE MBLL_PAGE_FILES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/web/*)
set(MBLL_PAGE_SOURCE ${CMAKE_BINARY_DIR}/report/page.cpp)
add_custom_command(
  OUTPUT ${MBLL_PAGE_SOURCE}
  # Without Path2D Chart.js draws its lines straight into the context, which the SVG export relies on.
  COMMAND ${ESBUILD} web/src/main.js --bundle --minify --target=es2021 --format=iife --alias:chart.js=${CHARTJS_DIR}/chart.mjs
          --define:Path2D=undefined --log-level=warning --outfile=${CMAKE_BINARY_DIR}/report/page.js
  COMMAND ${ESBUILD} web/style.css --minify --log-level=warning --outfile=${CMAKE_BINARY_DIR}/report/page.css
  COMMAND ${CMAKE_COMMAND} -DPAGE=${CMAKE_CURRENT_SOURCE_DIR}/web/page.html -DFOLDER=${CMAKE_BINARY_DIR}/report
          -DOUTPUT=${MBLL_PAGE_SOURCE} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedPage.cmake
  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
  DEPENDS ${MBLL_PAGE_FILES} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedPage.cmake
  COMMENT "Bundling the report page")
