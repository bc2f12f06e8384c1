# OpenBLAS without threads of its own. The library splits work over samples itself, which is faster than the
# BLAS's threads for its shapes and keeps results the same, bit for bit, for any number of threads.
find_library(SerialBLAS_LIBRARY NAMES openblas
             PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial NO_DEFAULT_PATH)
if(NOT SerialBLAS_LIBRARY)
  find_library(SerialBLAS_LIBRARY NAMES openblas)
  if(SerialBLAS_LIBRARY)
    message(WARNING "OpenBLAS without threads was not found, using ${SerialBLAS_LIBRARY}: set OPENBLAS_NUM_THREADS=1 for reproducible results")
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SerialBLAS REQUIRED_VARS SerialBLAS_LIBRARY
                                  REASON_FAILURE_MESSAGE "install libopenblas-serial-dev")
if(SerialBLAS_FOUND AND NOT TARGET SerialBLAS::SerialBLAS)
  add_library(SerialBLAS::SerialBLAS UNKNOWN IMPORTED)
  set_target_properties(SerialBLAS::SerialBLAS PROPERTIES IMPORTED_LOCATION ${SerialBLAS_LIBRARY})
endif()
mark_as_advanced(SerialBLAS_LIBRARY)
