# SPDX-License-Identifier: BSD-3-Clause
# Debian's cross compiler for the Cortex-A9 of Zynq-7000, which has NEON.
set(SHELLGEN_PROCESSOR arm)
set(SHELLGEN_ARCHITECTURE armhf)
set(SHELLGEN_TRIPLET arm-linux-gnueabihf)
set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-a9 -mfpu=neon")
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
