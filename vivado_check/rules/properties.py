# SPDX-License-Identifier: BSD-3-Clause
"""Names of properties that projects set and IP is queried for: Vivado refuses unknown ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from ..errors import nearest
from ..report import Message, Verdict
from .base import Context, rule

# Of a project. Sources: UG912, UG835; UG895, settings of projects.
_PROJECT = """
    board board_connections board_part board_part_repo_paths class
    compxlib.activehdl_compiled_library_dir compxlib.modelsim_compiled_library_dir
    compxlib.questa_compiled_library_dir compxlib.riviera_compiled_library_dir
    compxlib.vcs_compiled_library_dir compxlib.xcelium_compiled_library_dir corecontainer.enable
    default_lib design_mode dsa.accelerator_binary_content dsa.board_id dsa.description
    enable_optional_runs_sta enable_vhdl_2008 generated ip_cache_permissions
    ip_interface_inference_priority ip_output_repo ip_repo_paths legacy_ip_repo_paths managed_ip
    mem.enable_memory_map_generation name part platform.board_id platform.name pr_flow
    preferred_sim_model project_type sim.central_dir sim.ip.auto_export_scripts sim.ipstatic.source_dir
    sim.use_ip_compiled_libs simulator_language source_mgmt_mode target_language target_simulator
    tool_flow top_auto_detect webtalk.xsim_launch_sim xpm_libraries
"""
# Of an IP. Sources: UG912, IP; UG896.
_IP = """
    board change_log class core_container core_revision delivered_targets generate_synth_checkpoint
    ip_core_container ip_definition_source ip_dir ip_file ip_output_dir ip_shared_dir ip_revision
    ip_state ipdef is_bd_context is_ip_generated is_locked known_targets license_keys lock_details name
    outstanding_targets part required_license_keys scope selected_sim_model stale_targets
    supported_sim_models supported_targets sw_version synthesis_flow targets temporary_part
    upgrade_details upgrade_versions used_in user_locked vlnv
"""
_ASKED = re.compile(r"property (\S+) of an IP is not modelled")
_REMEDY = "correct the name"


def _meant(name: str) -> str:
    """Return the property of a project that was misspelt, empty if none: Vivado has more than we know of."""
    return next(iter(get_close_matches(name, _PROJECT.split(), 1, 0.85)), "")


@rule("property-names", scope="session", source="UG912, properties; UG835, set_property, get_property")
def property_names(context: Context) -> Iterator[Message]:
    """A project has no misspelt property; generated scripts query only properties that an IP has."""
    known = _PROJECT.split()
    for project in context.recording.projects:
        for name, setting in project.properties.items():
            near = _meant(name) if name not in known and re.fullmatch(r"\w+", name) else ""
            if near:
                where = f"project {project.name}"
                found = f"a project has no property {name}"
                yield Message("property-names", Verdict.FINDING, setting.origin, where, found, near, _REMEDY)
    for message in context.recording.messages if context.ours else ():
        asked = _ASKED.fullmatch(message.found)
        if asked and not asked[1].startswith("CONFIG.") and asked[1].lower() not in _IP.split():
            found = f"an IP has no property {asked[1]}"
            expected = nearest(asked[1], _IP.split()) or "a property of UG912"
            yield Message(
                "property-names", Verdict.FINDING, message.origin, message.where, found, expected, _REMEDY
            )
