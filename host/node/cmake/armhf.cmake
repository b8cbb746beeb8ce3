# SPDX-License-Identifier: BSD-3-Clause
# Debian's cross compiler for the Cortex-A9 of Zynq-7000, which has NEON. Libraries are those of the architecture armhf:
# dpkg --add-architecture armhf, then apt-get install libssl-dev:armhf.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_CXX_COMPILER arm-linux-gnueabihf-g++)
set(CMAKE_LIBRARY_ARCHITECTURE arm-linux-gnueabihf)
set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-a9 -mfpu=neon")
set(CMAKE_FIND_ROOT_PATH /usr/arm-linux-gnueabihf /)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-arm)
