# OpenBLAS, used with one thread at a time: the library splits work over samples itself, which is faster than the BLAS's
# threads for its shapes and keeps results the same, bit for bit, for any number of threads. It must be the build with
# threads all the same (src/bayes/lapack.cpp sets their number to 1): Debian's single-threaded build has no locks, and two
# threads that call it at once corrupt each other's buffers (measured: every sixth cross-fitted fit came out wrong).
find_library(SerialBLAS_LIBRARY NAMES openblas
             PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread NO_DEFAULT_PATH)
if(NOT SerialBLAS_LIBRARY)
  find_library(SerialBLAS_LIBRARY NAMES openblas)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SerialBLAS REQUIRED_VARS SerialBLAS_LIBRARY
                                  REASON_FAILURE_MESSAGE "install libopenblas-pthread-dev")
if(SerialBLAS_FOUND AND NOT TARGET SerialBLAS::SerialBLAS)
  add_library(SerialBLAS::SerialBLAS UNKNOWN IMPORTED)
  set_target_properties(SerialBLAS::SerialBLAS PROPERTIES IMPORTED_LOCATION ${SerialBLAS_LIBRARY})
endif()
mark_as_advanced(SerialBLAS_LIBRARY)
