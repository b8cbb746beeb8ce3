// SPDX-License-Identifier: BSD-3-Clause
// The user's source file for what lies beside a core under Coyote, if one is compiled in with -DSHELLGEN_HOOK=<file>.
#pragma once

#include "core.h"
#include "settings.h"
#include "shellgen_hook.h"

namespace shellgen {

class Hook {
public:
    // Calls it, and enters what it gives into the options, which have priority. Throws InputError with what it says.
    Hook(Options &options, const NodeSettings &settings, Registers &registers);
    ~Hook();
    Hook(const Hook &) = delete;
    Hook &operator=(const Hook &) = delete;

private:
    void end();

    shellgen_hook hook_{};
    bool begun_ = false;
};

}  // namespace shellgen
