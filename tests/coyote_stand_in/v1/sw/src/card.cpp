// SPDX-License-Identifier: BSD-3-Clause
// Coyote v1 is compiled from the sources in its folder, so the card belongs to them.
#include "../../../shell_socket.cpp"
