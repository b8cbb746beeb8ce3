# SPDX-License-Identifier: BSD-3-Clause
"""Runs of a project: launched, waited for, opened; what they leave on disk (UG835, UG904)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..recording import Run
from ..tcl.arguments import join_list
from .commands import Arguments, Command, ToolError
from .objects import Thing, select, words_of
from .project_session import current, nothing
from .scenario import MessageRules
from .session import Session


def runs_of(session: Session, call: Arguments) -> Iterator[Run]:
    """Yield the runs that a command names.

    Raises:
        ToolError: There is no such run.
    """
    known = current(session).runs
    names = [name for word in call.rest for name in words_of(word)]
    if not names:
        raise ToolError(f"{call.command} names no run", where=call.command)
    for name in names:
        if name not in known:
            raise ToolError(
                f"there is no run {name}",
                where=name,
                expected=f"one of {', '.join(known)}",
                remedy="Correct the name",
            )
        yield known[name]


def folder_of(session: Session, run: str) -> str:
    """Return the folder of a run."""
    project = current(session)
    return f"{project.folder}/{project.name}.runs/{run}"


def create_run(session: Session, call: Arguments) -> str:
    """Make a run."""
    name = call.first("name")
    current(session).runs[name] = Run(name)
    return name


def launch_runs(session: Session, call: Arguments) -> str:
    """Launch runs; those that they follow on are launched with them."""
    for run in list(runs_of(session, call)):
        if run.progress == "100%" and not _goes_on(run, call.options.get("-to_step", "")):
            raise ToolError(
                f"run {run.name} is already complete", where=run.name, remedy="Reset it first (reset_run)"
            )
        for each in (*_before(session, run), run):
            each.status = "Running"
            each.launched.append(call.origin)
        run.to_step = call.options.get("-to_step", "")
    return ""


def _goes_on(run: Run, step: str) -> bool:
    """Tell whether a complete run has steps left up to this one; by default it makes no bitstream."""
    return step in ("write_bitstream", "write_device_image") and run.to_step != step


def _before(session: Session, run: Run) -> Iterator[Run]:
    """Yield the runs that another needs and that are not complete: of IP, then of the design."""
    runs = current(session).runs.values()
    if run.name.startswith("impl"):
        for other in runs:
            if not other.name.startswith("impl") and other.progress != "100%":
                yield other
    elif run.name == "synth_1":
        for other in runs:
            if other.name.endswith("_synth_1") and other.progress != "100%":
                yield other


def wait_on_run(session: Session, call: Arguments) -> str:
    """End runs that were launched, in their order."""
    for run in list(runs_of(session, call)):
        run.waited.append(call.origin)
        if run.status != "Running":
            if run.progress != "100%" and "ERROR" not in run.status:
                raise ToolError(
                    f"run {run.name} was not launched", where=run.name, remedy="Launch it first (launch_runs)"
                )
            continue
        for each in (*[other for other in _before(session, run) if other.status == "Running"], run):
            if not _finish(session, each):
                run.status = run.status if run is each else f"{run.name} was not run"
                break
    return ""


def _finish(session: Session, run: Run) -> bool:
    """Run the hooks of a run, write what it leaves, and return whether it went well."""
    from ..tcl.hooks import run_hooks  # noqa: PLC0415 - runs scripts, which call this room

    folder = folder_of(session, run.name)
    session.sandbox.mkdir(folder)
    rules = MessageRules()
    problem = run_hooks(session, run, folder, rules)
    lines = [problem] if problem else []
    for identity, text in () if problem else session.scenario.log.get(run.name, ()):
        severity = rules.severity.get(identity) or "CRITICAL WARNING"
        lines.append(f"{severity}: [{identity}] {text}")
        if severity == "ERROR":
            problem = lines[-1]
            break
    if run.name == session.scenario.failing_run:
        problem = problem or "it fails in this scenario"
    if run.name not in session.scenario.silent_runs:
        session.sandbox.write(f"{folder}/runme.log", "\n".join([*lines, ""]))
    if problem:
        run.status = f"{run.name} ERROR {problem}"
        return False
    run.progress, run.status = "100%", f"{run.name} Complete!"
    if run.to_step == "write_bitstream":
        top = current(session).filesets["sources_1"].get("top")
        session.sandbox.write(f"{folder}/{top.value if top else 'top'}.bit", "bit\n")
        run.status = "write_bitstream Complete!"
    return True


def reset_run(session: Session, call: Arguments) -> str:
    """Take runs back to where nothing is done."""
    for run in runs_of(session, call):
        run.progress, run.status, run.to_step = "0%", "Not started", ""
    return ""


def get_runs(session: Session, call: Arguments) -> str:
    """Answer with runs."""
    names = list(session.project.runs) if session.project else []
    return join_list(select(session, call, names, lambda name: find_run(session, name)))


def current_run(session: Session, call: Arguments) -> str:
    """Answer with the run of synthesis or implementation."""
    current(session)
    return "synth_1" if call.has("-synthesis") else "impl_1"


def find_run(session: Session, name: str) -> Thing | None:
    """Return a run of the project."""
    run = session.project.runs.get(name) if session.project else None
    if run is None:
        return None
    done = run.progress == "100%"
    known = {"NAME": name, "PROGRESS": run.progress, "STATUS": run.status, "CLASS": "run"}
    known |= {"DIRECTORY": folder_of(session, name), "NEEDS_REFRESH": "0", "CURRENT_STEP": ""}
    known |= {"IS_SYNTHESIS": str(int("synth" in name)), "IS_IMPLEMENTATION": str(int("impl" in name))}
    known |= {f"STATS.{key}": value if done else "" for key, value in session.scenario.slack.items()}

    def changed(key: str, value: str) -> None:
        _changed(run, key)

    return Thing("a run", known, run.properties, folded=False, changed=changed)


def _changed(run: Run, name: str) -> None:
    """A strategy is a set of arguments, and takes the place of all others."""
    if name.lower() == "strategy":
        for key in [
            key for key in run.properties if key.upper().startswith("STEPS.") and ".TCL." not in key.upper()
        ]:
            del run.properties[key]


# ---- open designs --------------------------------------------------------------------------------------
class Opened:
    """The design in memory: a run's, empty if there is none."""

    def __init__(self) -> None:
        self.run = ""


def open_run(session: Session, call: Arguments) -> str:
    """Open the design of a run that is complete."""
    (run, *_) = runs_of(session, call)
    if run.progress != "100%":
        raise ToolError(
            f"run {run.name} is not complete ({run.status})",
            where=run.name,
            expected="a run that is complete",
            remedy="Launch it, wait for it, and look at its PROGRESS",
        )
    session.state(Opened).run = run.name
    return run.name


def synth_design(session: Session, call: Arguments) -> str:
    """Have a design in memory."""
    session.state(Opened).run = call.options.get("-top", "synth_1")
    return session.state(Opened).run


def close_design(session: Session, call: Arguments) -> str:
    """Have none in memory."""
    session.state(Opened).run = ""
    return ""


def _write(session: Session, call: Arguments) -> str:
    """Write a file of the design in memory."""
    _need_design(session, call)
    path = call.options.get("-file") or (call.rest[-1] if call.rest else "")
    return _leave(session, call, path)


def _need_design(session: Session, call: Arguments) -> None:
    if not session.state(Opened).run:
        raise ToolError(
            f"{call.command} needs an open design",
            where=call.command,
            remedy="Open a run first (open_run)",
        )


def _leave(session: Session, call: Arguments, path: str) -> str:
    if not path:
        return ""
    full = session.path(path)
    if not session.sandbox.is_dir(Path(full).parent) and session.sandbox.inside(Path(full).parent):
        raise ToolError(
            f"{call.command}: there is no folder {session.sandbox.shown(Path(full).parent)}",
            where=path,
            remedy="Make it first (file mkdir)",
        )
    session.sandbox.write(full, f"{call.command}\n")
    return full if call.command.startswith("write_") else ""


def write_hw_platform(session: Session, call: Arguments) -> str:
    """Write the hardware for software tools; with a bitstream only if there is one."""
    run = current(session).runs.get("impl_1")
    done = run is not None and run.to_step == "write_bitstream" and run.progress == "100%"
    # Without a project run, a script writes it by itself.
    done = done or any(one.command == "write_bitstream" and not one.failed for one in session.recording.calls)
    if call.has("-include_bit") and not done:
        raise ToolError(
            "write_hw_platform: there is no bitstream to include",
            where="-include_bit",
            expected="impl_1 complete to write_bitstream",
            remedy="Launch impl_1 with -to_step write_bitstream, and wait for it",
        )
    return _leave(session, call, call.rest[-1] if call.rest else "")


FINDERS = (find_run,)
_FILE = "-file= -append -return_string -name= -force -rpx= -rpv= -xpe= -format= -quiet"
_STEP = "-directive= -verbose"
_REPORTS = {
    "report_utilization": (
        " -hierarchical -hierarchical_depth= -hierarchical_percentages -cells= -pblocks= -slr "
        "-spreadsheet_file= -spreadsheet_table= -spreadsheet_depth="
    ),
    "report_timing_summary": (
        " -check_timing_verbose -delay_type= -no_detailed_paths -setup -hold -max_paths= -nworst= "
        "-unique_pins -path_type= -no_header -input_pins -slack_lesser_than= -significant_digits= "
        "-report_unconstrained -warn_on_violation -cells= -no_reused_label -routable_nets"
    ),
    "report_timing": (
        " -from= -to= -through= -delay_type= -setup -hold -max_paths= -nworst= -path_type= -input_pins "
        "-sort_by= -group= -slack_lesser_than= -significant_digits= -no_report_unconstrained "
        "-unique_pins -of_objects= -cells="
    ),
    "report_power": " -hier= -hierarchical_depth= -advisory -no_propagation -vid -verbose",
    "report_clock_interaction": " -delay_type= -setup -hold -significant_digits= -no_header",
    "report_cdc": (
        " -from= -to= -cells= -details -summary -severity= -all_checks_per_endpoint -waived -no_header "
        "-show_waiver"
    ),
    "report_drc": " -checks= -ruledecks= -upgrade_cw -waived -no_waivers",
    "report_methodology": " -cells= -checks= -waived -no_waivers -slack_lesser_than=",
    "report_clocks": "",
    "report_clock_utilization": " -write_xdc= -clock_roots_only -cells=",
    "report_clock_networks": " -levels= -expand_buckets -endpoints_only",
    "report_io": "",
    "report_route_status": (
        " -of_objects= -list_all_nets -show_all -has_routing -boolean_check= -route_type= -ignore_cache"
    ),
    "report_design_analysis": (
        " -timing -setup -hold -show_all -complexity -congestion -cells= -of_timing_paths= -max_paths= "
        "-hierarchical_depth= -extend -logic_level_distribution -full_logical_pin"
    ),
    "report_qor_suggestions": " -of_objects= -max_strategies= -report_all_suggestions -output_dir= -cell=",
    "report_high_fanout_nets": (
        " -ascending -timing -histogram -min_fanout= -max_fanout= -cells= -clocks= -max_nets= "
        "-fanout_greater_than= -clock_regions -slr -load_types"
    ),
    "report_control_sets": " -hierarchical -sort_by= -cells= -hierarchical_depth=",
    "report_bus_skew": (
        " -delay_type= -setup -hold -no_detailed_paths -max_paths= -nworst= -unique_pins -path_type= "
        "-input_pins -no_header -slack_lesser_than= -slack_greater_than= -significant_digits= "
        "-warn_on_violation"
    ),
}
COMMANDS = {
    "create_run": Command(
        create_run,
        "-constrset= -parent_run= -part= -flow= -strategy= -report_strategy= -pr_config= -dfx_mode= "
        "-rm_instance= -name=",
    ),
    "launch_runs": Command(
        launch_runs,
        "-jobs= -scripts_only -lsf= -sge= -cluster_configuration= -dir= -to_step= -next_step -host= "
        "-remote_cmd= -email_to= -email_all -pre_launch_script= -post_launch_script= -custom_script= -force "
        "-incremental_checkpoint= -report_strategy= -dont_wait",
    ),
    "wait_on_run": Command(wait_on_run, "-timeout="),
    "wait_on_runs": Command(wait_on_run, "-timeout= -exit_condition="),
    "reset_run": Command(reset_run, "-prev_step -from_step= -noclean_dir"),
    "reset_runs": Command(reset_run, "-prev_step -from_step= -noclean_dir"),
    "delete_runs": Command(nothing, "-noclean_dir"),
    "get_runs": Command(get_runs, "-regexp -nocase -filter= -of_objects="),
    "current_run": Command(current_run, "-synthesis -implementation"),
    "open_run": Command(open_run, "-name= -pr_config="),
    "synth_design": Command(
        synth_design,
        "-name= -part= -constrset= -top= -include_dirs= -generic= -verilog_define= -flatten_hierarchy= "
        "-gated_clock_conversion= -directive= -rtl -bufg= -no_lc -shreg_min_size= -mode= -fsm_extraction= "
        "-keep_equivalent_registers -resource_sharing= -cascade_dsp= -control_set_opt_threshold= -max_bram= "
        "-max_uram= -max_dsp= -max_bram_cascade_height= -max_uram_cascade_height= -retiming -no_retiming "
        "-no_srlextract -assert -no_timing_driven -sfcu -debug_log -lint -incremental_mode= -rtl_skip_mlo "
        "-rtl_skip_ip -rtl_skip_constraints -srl_style= -file= -dataflow",
    ),
    "link_design": Command(
        synth_design,
        "-name= -part= -constrset= -top= -mode= -pr_config= -reconfig_partitions= -partitions=",
    ),
    "open_checkpoint": Command(synth_design, "-part= -skip_xdc -xdc_only"),
    "close_design": Command(close_design),
    "opt_design": Command(
        nothing,
        _STEP + " -retarget -propconst -sweep -bram_power_opt -remap -resynth_area -resynth_seq_area",
    ),
    "power_opt_design": Command(nothing, _STEP),
    "place_design": Command(
        nothing,
        _STEP + " -no_timing_driven -timing_summary -unplace -post_place_opt -no_psip",
    ),
    "phys_opt_design": Command(nothing, _STEP),
    "route_design": Command(
        nothing,
        _STEP + " -unroute -release_memory -nets= -physical_nets -pins= -delay -auto_delay -preserve "
        "-no_timing_driven -tns_cleanup -ultrathreads -eco -timing_summary -finalize",
    ),
    "write_hw_platform": Command(
        write_hw_platform,
        "-fixed -force -include_bit -include_sim_content -minimal -hw -hw_emu -file= -rp=",
    ),
    "validate_hw_platform": Command(nothing, "-verbose"),
    "write_hwdef": Command(_write, "-force -file="),
    "write_sysdef": Command(nothing, "-force -hwdef= -bitfile= -meminfo= -file="),
    "write_bitstream": Command(
        _write,
        "-force -verbose -raw_bitfile -no_binary_bitfile -mask_file -readback_file "
        "-logic_location_file -bin_file -reference_bitfile= -cell= -no_partial_bitfile",
    ),
    "write_checkpoint": Command(
        _write,
        "-force -cell= -logic_function_stripped -encrypt -key= -incremental_synth",
    ),
    "write_edif": Command(
        _write,
        "-pblocks= -cell= -force -security_mode= -logic_function_stripped -extract_netlist",
    ),
    "write_verilog": Command(
        _write,
        "-cell= -mode= -lib -port_diff_buffers -write_all_overrides -keep_vcc_gnd -rename_top= "
        "-sdf_anno= -sdf_file= -force -include_xilinx_libs -logic_function_stripped -nolib "
        "-include_unisim",
    ),
    "write_xdc": Command(
        _write,
        "-no_fixed_only -constraints= -cell= -sysgen -type= -exclude_timing -exclude_physical -force "
        "-no_tool_comments -write_all_constraints",
    ),
    "write_debug_probes": Command(_write, "-cell= -no_partial_ltxfile -force"),
    "write_sdf": Command(_write, "-process_corner= -cell= -rename_top= -force -mode= -gzip"),
    "write_cfgmem": Command(
        _write,
        "-format= -size= -interface= -checksum= -disablebitswap -force -loadbit= -loaddata= -file=",
    ),
    **{name: Command(_write, _FILE + more) for name, more in _REPORTS.items()},
}
