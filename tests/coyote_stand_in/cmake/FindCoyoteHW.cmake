# SPDX-License-Identifier: BSD-3-Clause
# A stand-in for Coyote's build: the macros that an application calls, which write down what they are told. Coyote's own
# looks at its variables when the macros are called.
set(FPLAN_PATH 0 CACHE STRING "")
set(COMP_CORES 8 CACHE STRING "")
set(EN_STRM 1 CACHE STRING "")
set(N_STRM_AXI 1 CACHE STRING "")
set(TOLD "")

macro(tell name)
    string(APPEND TOLD "${name}=${${name}}\n")
endmacro()

macro(validation_checks_hw)
    foreach(name FDEV_NAME EN_STRM N_STRM_AXI EN_MEM EN_RDMA N_REGIONS N_CONFIG EN_PR EN_UCLK UCLK_F FPLAN_PATH COMP_CORES)
        tell(${name})
    endforeach()
endmacro()

macro(load_apps)
    math(EXPR wanted "2 * ${N_REGIONS} * ${N_CONFIG}")
    if(NOT ${ARGC} EQUAL ${wanted})
        message(FATAL_ERROR "Provide N_REGIONS * N_CONFIG apps.")
    endif()
    string(APPEND TOLD "apps=${ARGN}\n")
endmacro()

macro(create_hw)
    file(WRITE "${CMAKE_BINARY_DIR}/told.txt" "project=${CMAKE_PROJECT_NAME}\n${TOLD}")
endmacro()
