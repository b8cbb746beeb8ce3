# SPDX-License-Identifier: BSD-3-Clause
"""Settings of Vivado's runs for each strategy in cluster.toml."""

from __future__ import annotations

from shellgen.platforms.zynq.facts import Strategy

# (run, property, value), in order: a strategy sets all arguments, those after it differ from the strategy's.
STRATEGIES: dict[Strategy, tuple[tuple[str, str, str], ...]] = {
    "default": (),
    # Source: Xilinx/finn, custom_zynq_shell_template, which FINN's own Zynq builds use.
    "performance": (
        ("synth_1", "strategy", "Flow_PerfOptimized_high"),
        ("synth_1", "STEPS.SYNTH_DESIGN.ARGS.DIRECTIVE", "AlternateRoutability"),
        ("synth_1", "STEPS.SYNTH_DESIGN.ARGS.RETIMING", "true"),
        ("impl_1", "strategy", "Performance_ExtraTimingOpt"),
        ("impl_1", "STEPS.OPT_DESIGN.ARGS.DIRECTIVE", "Explore"),
        ("impl_1", "STEPS.PHYS_OPT_DESIGN.ARGS.DIRECTIVE", "AggressiveExplore"),
        ("impl_1", "STEPS.POST_ROUTE_PHYS_OPT_DESIGN.IS_ENABLED", "true"),
        ("impl_1", "STEPS.POST_ROUTE_PHYS_OPT_DESIGN.ARGS.DIRECTIVE", "AggressiveExplore"),
    ),
    # Source: UG901 and UG904, tables of strategies.
    "area": (
        ("synth_1", "strategy", "Flow_AreaOptimized_high"),
        ("impl_1", "strategy", "Area_Explore"),
    ),
}
