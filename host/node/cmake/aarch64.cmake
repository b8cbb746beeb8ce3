# SPDX-License-Identifier: BSD-3-Clause
# Debian's cross compiler for the Cortex-A53 of Zynq UltraScale+.
set(SHELLGEN_PROCESSOR aarch64)
set(SHELLGEN_ARCHITECTURE arm64)
set(SHELLGEN_TRIPLET aarch64-linux-gnu)
set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-a53")
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
