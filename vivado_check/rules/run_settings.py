# SPDX-License-Identifier: BSD-3-Clause
"""Settings of runs: strategies and directives by their names, arguments of existing steps.

The names are those of UG901 and UG904. A user may have strategies of his own, so what is not in the tables is
"not modelled" in third-party scripts, and an error in generated ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..design import Setting
from ..report import Message, Verdict
from .base import Context, rule

SYNTHESIS = {
    *("Vivado Synthesis Defaults", "Flow_AreaOptimized_high", "Flow_AreaOptimized_medium"),
    *("Flow_AreaMultThresholdDSP", "Flow_AlternateRoutability", "Flow_PerfOptimized_high"),
    *("Flow_PerfThresholdCarry", "Flow_RuntimeOptimized"),
}
IMPLEMENTATION = {
    *("Vivado Implementation Defaults", "Performance_Explore", "Performance_ExplorePostRoutePhysOpt"),
    *(
        "Performance_ExploreWithRemap",
        "Performance_WLBlockPlacement",
        "Performance_WLBlockPlacementFanoutOpt",
    ),
    *("Performance_EarlyBlockPlacement", "Performance_NetDelay_high", "Performance_NetDelay_low"),
    *("Performance_Retiming", "Performance_ExtraTimingOpt", "Performance_RefinePlacement"),
    *("Performance_SpreadSLLs", "Performance_BalanceSLLs", "Performance_BalanceSLRs"),
    *("Performance_HighUtilSLRs", "Congestion_SpreadLogic_high", "Congestion_SpreadLogic_medium"),
    *("Congestion_SpreadLogic_low", "Congestion_SSI_SpreadLogic_high", "Congestion_SSI_SpreadLogic_low"),
    *("Area_Explore", "Area_ExploreSequential", "Area_ExploreWithRemap", "Power_DefaultOpt"),
    *("Power_ExploreArea", "Flow_RunPhysOpt", "Flow_RunPostRoutePhysOpt", "Flow_RuntimeOptimized"),
    *("Flow_Quick", "Performance_Auto_1", "Performance_Auto_2", "Performance_Auto_3"),
}
_PLACE = {
    *("Explore", "WLDrivenBlockPlacement", "EarlyBlockPlacement", "ExtraNetDelay_high", "ExtraNetDelay_low"),
    *("AltSpreadLogic_high", "AltSpreadLogic_medium", "AltSpreadLogic_low", "ExtraPostPlacementOpt"),
    *("ExtraTimingOpt", "SSI_SpreadLogic_high", "SSI_SpreadLogic_low", "SSI_SpreadSLLs", "SSI_BalanceSLLs"),
    *("SSI_BalanceSLRs", "SSI_HighUtilSLRs", "RuntimeOptimized", "Quick", "Default"),
    *("Auto_1", "Auto_2", "Auto_3"),
}
_PHYSICAL = {
    *("Explore", "ExploreWithHoldFix", "ExploreWithAggressiveHoldFix", "AggressiveExplore"),
    *("AlternateReplication", "AggressiveFanoutOpt", "AlternateFlowWithRetiming", "AddRetime"),
    *("RuntimeOptimized", "RQS", "Default"),
}
DIRECTIVES = {
    "SYNTH_DESIGN": {
        *(
            "Default",
            "RuntimeOptimized",
            "AreaOptimized_high",
            "AreaOptimized_medium",
            "AlternateRoutability",
        ),
        *("AreaMapLargeShiftRegToBRAM", "AreaMultThresholdDSP", "FewerCarryChains", "PerformanceOptimized"),
        *("PowerOptimized_high", "PowerOptimized_medium", "LogicCompaction"),
    },
    "OPT_DESIGN": {
        *("Default", "Explore", "ExploreArea", "AddRemap", "ExploreSequentialArea", "RuntimeOptimized"),
        *("NoBramPowerOpt", "ExploreWithRemap", "RQS"),
    },
    "PLACE_DESIGN": _PLACE,
    "PHYS_OPT_DESIGN": _PHYSICAL,
    "POST_ROUTE_PHYS_OPT_DESIGN": _PHYSICAL,
    "ROUTE_DESIGN": {
        *("Default", "Explore", "AggressiveExplore", "NoTimingRelaxation", "MoreGlobalIterations"),
        *(
            "HigherDelayCost",
            "AdvancedSkewModeling",
            "AlternateCLBRouting",
            "RuntimeOptimized",
            "Quick",
            "RQS",
        ),
    },
}
_STEPS = (*DIRECTIVES, "INIT_DESIGN", "POWER_OPT_DESIGN", "POST_PLACE_POWER_OPT_DESIGN", "WRITE_BITSTREAM")
_SWITCHES = {"true", "false", "0", "1", "yes", "no", "on", "off"}
_STEP = re.compile(rf"STEPS\.({'|'.join(_STEPS)})\.(IS_ENABLED|TCL\.PRE|TCL\.POST|ARGS\.[\w. ]+)")
_TO_SWITCH = re.compile(r".*\.(IS_ENABLED|ARGS\.(BIN_FILE|RETIMING|KEEP_EQUIVALENT_REGISTERS|NO_LC|ASSERT))")


@rule("run-settings", scope="session", source="UG901 and UG904, tables of strategies and directives; UG912")
def run_settings(context: Context) -> Iterator[Message]:
    """Strategies, directives and arguments of steps have names that Vivado knows."""
    for project in context.recording.projects:
        for name, run in project.runs.items():
            for key, setting in run.properties.items():
                expected = wrong(name, key.upper(), setting.value)
                if expected:
                    yield _message(context, name, key, setting, expected)


def wrong(run: str, key: str, value: str) -> str:
    """Return what a property of a run should be, empty if it is right or nothing is known of it."""
    strategies = SYNTHESIS if "synth" in run else IMPLEMENTATION
    if key == "STRATEGY":
        return "" if value in strategies else f"one of {', '.join(sorted(strategies))}"
    if not key.startswith("STEPS."):
        return ""
    step = _STEP.fullmatch(key)
    if step is None:
        return "STEPS.<step>.IS_ENABLED, .TCL.PRE, .TCL.POST or .ARGS.<argument> of a step that there is"
    if ("SYNTH" in step[1]) != ("synth" in run):
        return f"a step of {run}"
    if key.endswith(".ARGS.DIRECTIVE") and step[1] in DIRECTIVES and value not in DIRECTIVES[step[1]]:
        return f"one of {', '.join(sorted(DIRECTIVES[step[1]]))}"
    return "true or false" if _TO_SWITCH.fullmatch(key) and value.lower() not in _SWITCHES else ""


def _message(context: Context, run: str, key: str, setting: Setting, expected: str) -> Message:
    return Message(
        rule="run-settings",
        verdict=Verdict.ERROR if context.ours else Verdict.NOT_MODELLED,
        origin=setting.origin,
        where=run,
        found=f"{key} is {setting.value!r}",
        expected=expected,
        remedy="correct the name",
    )
