# SPDX-License-Identifier: BSD-3-Clause
# Attempts of a script to get out of its sandbox, each below its name. Beside its folder lie a script, a home and an
# encoding that it must neither read nor change; {out} is the folder of all these, {home} the home.

#### a system encoding in which other bytes are meant
encoding system dingbats
catch {set f [open {out}/secret.tcl]; puts [read $f]} m; puts $m
catch {set f [open {home}/.bashrc w]; puts $f x; close $f} m; puts $m

#### another multi-byte encoding
encoding system shiftjis
catch {set f [open {out}\u00a5secret.tcl]; puts [read $f]} m; puts $m

#### folders of encodings
catch {encoding dirs {out}} m; puts $m
catch {encoding convertto secret x} m; puts $m
catch {encoding convertto ../../..{out}/secret x} m; puts $m

#### an access word with a backslash
catch {set f [open {home}/.bashrc "\u0057RONLY"]; puts $f x; close $f} m; puts $m

#### an access list in braces
catch {set f [open {home}/.bashrc {{WRONLY} {CREAT} {TRUNC}}]; puts $f x; close $f} m; puts $m

#### an access with spaces
catch {set f [open {home}/.bashrc " w"]; puts $f x; close $f} m; puts $m

#### an access by another name
catch {set f [open own.txt {RDWR APPEND}]; puts $f x; close $f} m; puts $m

#### a pipe
catch {set f [open "|cat {out}/secret.tcl"]; puts [read $f]} m; puts $m

#### a pipe behind a space
catch {set f [open " |cat {out}/secret.tcl"]; puts [read $f]} m; puts $m

#### a pipe behind a no-break space
catch {set f [open "\u00a0|cat {out}/secret.tcl"]; puts [read $f]} m; puts $m

#### a pipe of another interpreter
interp create a
a eval {catch {open {|cat}} m}
puts [a eval set m]

#### a program
catch {exec cat {out}/secret.tcl} m; puts $m

#### a program by its copy
catch {exec cp {out}/secret.tcl got} m; puts $m
catch {set f [open got]; puts [read $f]} m; puts $m

#### a program that removes
catch {exec rm -rf {home}} m; puts $m

#### a program behind an alias
interp alias {} run {} exec
catch {run touch {out}/made} m; puts $m

#### a hidden command
catch {interp invokehidden {} exec touch {out}/made} m; puts $m

#### exposing one
catch {interp expose {} open real; real {out}/made w} m; puts $m

#### marking the interpreter trusted
catch {interp marktrusted {}} m; puts $m
catch {set f [open {out}/secret.tcl]; puts [read $f]} m; puts $m

#### an interpreter of its own
interp create a
a eval {catch {source {out}/secret.tcl} m}
puts [a eval set m]

#### an interpreter that is not safe
catch {set a [interp create]; $a eval {open {out}/made w}} m; puts $m

#### the parent's procedures
catch {front::exchange {{} 0 tcl exit 0}} m; puts $m
catch {::front::evaluate {} {} {out}/secret.tcl} m; puts $m

#### the parent's interpreter
catch {interp eval {} {open {out}/made w}} m; puts $m
catch {interp eval {{}} {open {out}/made w}} m; puts $m
catch {interp parent} m; puts $m

#### a command of the protocol
catch {tcl open {out}/secret.tcl r} m; puts $m
catch {__open {out}/secret.tcl r} m; puts $m

#### Python's methods
___setattr__ a b
__init__
__class__
_path {out}/secret.tcl

#### a socket
catch {socket 127.0.0.1 22} m; puts $m
catch {socket -server x 0} m; puts $m

#### a library
catch {load {out}/x.so} m; puts $m
catch {load {} Tk} m; puts $m
catch {unload x} m; puts $m

#### packages
lappend auto_path {out}
catch {package require secret} m; puts $m
catch {package ifneeded x 1 {source {out}/secret.tcl}; package require x} m; puts $m

#### auto_load
set auto_index(secret) {source {out}/secret.tcl}
catch {auto_load secret} m; puts $m
catch {secret} m; puts $m

#### modules of Tcl
catch {tcl::tm::path add {out}} m; puts $m
catch {package require secret} m; puts $m

#### unknown
catch {rename unknown old; proc unknown args {uplevel 1 [list source {out}/secret.tcl]}; x} m; puts $m

#### a script outside
catch {source {out}/secret.tcl} m; puts $m
catch {source ../secret.tcl} m; puts $m

#### a script with an encoding
catch {source -encoding dingbats {out}/secret.tcl} m; puts $m

#### a script by a link
catch {source link} m; puts $m
catch {source linked/.bashrc} m; puts $m

#### system files
catch {set f [open /etc/passwd]; puts [read $f]} m; puts $m
catch {set f [open far]; puts [read $f]} m; puts $m
catch {source /etc/passwd} m; puts $m

#### its own memory
catch {set f [open /proc/self/mem]; puts [read $f]} m; puts $m
catch {set f [open /proc/self/environ]; puts [read $f]} m; puts $m

#### descriptors
foreach n {0 1 2 3 4 5 6 7 8 9} {
catch {set f [open /dev/fd/$n]; puts [read $f]} m; puts $m
catch {set f [open fd/$n]; puts [read $f]} m; puts $m
}

#### devices
catch {set f [open /dev/tty w]; puts $f x; close $f} m; puts $m
catch {set f [open /dev/zero]; puts [read $f]} m; puts $m
catch {set f [open pipe]; puts [read $f]} m; puts $m

#### dots
catch {set f [open sub/../../secret.tcl]; puts [read $f]} m; puts $m
catch {set f [open linked/../secret.tcl]; puts [read $f]} m; puts $m

#### a home
catch {set f [open ~/.bashrc a]; puts $f x; close $f} m; puts $m
catch {set f [open ~root/.profile]; puts [read $f]} m; puts $m

#### a name with a zero
catch {set f [open "{out}/secret.tcl\0.txt"]; puts [read $f]} m; puts $m
catch {set f [open "own.txt\0/../../secret.tcl"]; puts [read $f]} m; puts $m

#### a name that is no UTF-8
catch {set f [open "{out}/secret\xff.tcl"]; puts [read $f]} m; puts $m
catch {set f [open "\ud800" w]; puts $f x; close $f} m; puts $m

#### renaming
catch {file rename {home}/.bashrc got} m; puts $m
catch {file rename own.txt {out}/made} m; puts $m

#### copying
catch {file copy {out}/secret.tcl got} m; puts $m
catch {file copy linked got} m; puts $m
catch {set f [open got]; puts [read $f]} m; puts $m

#### copying over
catch {file copy -force own.txt {home}/.bashrc} m; puts $m

#### deleting
catch {file delete -force {home}} m; puts $m
file delete -force own.txt sub linked

#### deleting by a link
catch {file delete linked/.bashrc} m; puts $m
catch {file delete -force /} m; puts $m

#### making folders
catch {file mkdir {out}/made /var/made {home}/made} m; puts $m

#### links
catch {file link {out}/made own.txt} m; puts $m
catch {file link -hard got {out}/secret.tcl} m; puts $m
catch {exec ln -s {out} got} m; puts $m

#### attributes
catch {file attributes {home}/.bashrc -permissions 0777} m; puts $m
catch {file mtime {home}/.bashrc 0} m; puts $m

#### a temporary file
catch {set f [file tempfile name {out}/made]; puts $f x; close $f} m; puts $m

#### another folder
catch {cd {out}; source secret.tcl} m; puts $m
catch {cd linked; puts [read [open .bashrc]]} m; puts $m

#### a folder that was made above
file mkdir {out}/home
cd {out}/home
catch {set f [open .bashrc]; puts [read $f]} m; puts $m

#### a list of files
catch {glob {out}/*} m; puts [string map {secret.tcl {}} $m]
catch {glob -directory linked .*} m; puts $m

#### later
after 0 {catch {source {out}/secret.tcl} m; puts $m}
update
after idle {catch {open {out}/made w}}
update

#### waiting
set x 0
after 10 {set x 1}
vwait x
catch {set f [open {out}/secret.tcl]; puts [read $f]} m; puts $m

#### options of channels
set f [open own.txt]
fconfigure $f -encoding unicode -translation lf -buffering none
puts [read $f]
catch {fconfigure stdout -encoding dingbats} m; puts $m
puts $m

#### the checker's channels
foreach c {file0 file1 stdin stdout file3 rc0 sock3} {catch {puts $c {ok =}} m; puts $m; catch {gets $c} m; puts $m}
catch {chan close stdin} m; puts $m
catch {chan pipe} m; puts $m

#### a channel of its own
catch {chan create {read write} script} m; puts $m
proc script args {return {initialize finalize watch}}
catch {chan push stdout script} m; puts $m

#### the environment
puts [array get env]
set env(LD_PRELOAD) {out}/x.so
set env(HOME) {home}
catch {set f [open ~/.bashrc w]; puts $f x; close $f} m; puts $m

#### where the interpreter is
catch {info nameofexecutable} m; puts $m
catch {source [info library]/init.tcl} m; puts $m

#### traces
trace add execution open enter {apply {args {uplevel 1 {set path {out}/secret.tcl}}}}
set path own.txt
catch {set f [open $path]; puts [read $f]} m; puts $m

#### namespaces
namespace eval tcl {catch {::tcl::file::delete {home}/.bashrc} m; puts $m}
catch {namespace eval :: {tcl::file::copy {out}/secret.tcl got}} m; puts $m

#### renamed commands
rename source mine
catch {mine {out}/secret.tcl} m; puts $m
proc open args {return stdout}
puts [open x]

#### commands of the driver redefined
proc lindex args {return /etc/passwd}
proc binary args {}
proc dict args {}
puts [pwd]
catch {set f [open own.txt]; puts [read $f]} m; puts $m

#### variables above
catch {upvar #0 front::handed h; puts $h} m; puts $m
catch {uplevel #0 {set ::front::script {}}} m; puts $m

#### a lambda
catch {apply {{} {source {out}/secret.tcl}}} m; puts $m
catch {apply {{} {exec touch {out}/made} ::tcl}} m; puts $m

#### coroutines
coroutine c apply {{} {yield; source {out}/secret.tcl}}
catch c m; puts $m

#### compression
set z [zlib compress [string repeat x 1000]]
puts [string length [zlib decompress $z]]
catch {zlib push gzip stdout} m; puts $m

#### clocks by a name of a file
catch {clock format 0 -timezone :{out}/secret.tcl} m; puts $m
catch {clock format 0 -locale ../../..{out}/secret} m; puts $m
catch {clock scan x -timezone :/etc/passwd} m; puts $m

#### messages by a name of a file
catch {msgcat::mcload {out}} m; puts $m

#### a project in the way
create_project -force -part xc7z020clg484-1 home {home}
create_project -force p {out}

#### files of the tool
create_project -part xc7z020clg484-1 p p
catch {read_xdc {out}/secret.tcl} m; puts $m
catch {add_files {out}/secret.tcl linked/.bashrc far} m; puts $m
catch {import_files -force {out}/secret.tcl} m; puts $m

#### what the tool writes
create_project -part xc7z020clg484-1 p p
synth_design
foreach c {write_xdc write_checkpoint write_verilog write_bitstream} {catch {$c -force {home}/.bashrc} m; puts $m; catch {$c -force own.txt} m}

#### a design in the way
create_project -part xc7z020clg484-1 p p
create_bd_design -dir {home} .bashrc
save_bd_design
write_bd_tcl -force {home}/.bashrc

#### hooks of a run
create_project -part xc7z020clg484-1 p p
set_property STEPS.SYNTH_DESIGN.TCL.PRE {out}/secret.tcl [get_runs synth_1]
launch_runs synth_1
wait_on_run synth_1

#### limits of the interpreter
catch {interp limit {} time -seconds {}} m; puts $m
catch {interp recursionlimit {} 100000000} m; puts $m
proc f {} f
catch f m; puts $m

#### a value without end
catch {string repeat x 2000000000} m; puts ended

#### a pattern that takes for ever
catch {regexp {(a*)*(a*)*(a*)*b} [string repeat a 5000]} m
puts $m

#### a trace that sources
trace add variable ::env read {source {out}/secret.tcl}
catch {set env(HOME)} m; puts $m
catch {trace add execution front::exchange enter puts} m; puts $m

#### the watching commands
foreach c {begun changed lost defined handled} {catch {::tcl::$c {out}/secret.tcl b c} m; puts $m}
catch {trace remove execution ::proc enter ::tcl::defined} m; puts $m

#### every command with a path outside
foreach c [info commands] {if {$c ni {exit while for vwait}} {catch {$c {out}/secret.tcl} m; puts $m}}

#### every command with two paths outside
set others {exit while for vwait foreach interp rename proc}
foreach c [info commands] {if {$c ni $others} {catch {$c {out}/secret.tcl {home}/.bashrc} m; puts $m}}

#### every encoding of the system
foreach e [encoding names] {catch {encoding system $e; set f [open {out}/secret.tcl]; puts [read $f]} m; puts $m}

#### a source in another encoding
set f [open u.tcl w]; fconfigure $f -encoding unicode; puts $f {source {out}/secret.tcl}; close $f
catch {source -encoding unicode u.tcl} m; puts $m

#### an alias of an interpreter of its own
interp create a
interp alias a s {} source
catch {a eval {s {out}/secret.tcl}} m; puts $m

#### an object with a method
oo::class create c {constructor {} {source {out}/secret.tcl}}
catch {c new} m; puts $m

#### a path without end
catch {open [string repeat ../ 50000]etc/passwd} m; puts [string length $m]
catch {open [string repeat a/ 100000]x w} m; puts [string length $m]

#### Verilog that includes
create_project -part xc7z020clg484-1 p p
set f [open a.v w]
puts $f "`include \"{out}/secret.tcl\"\n`include \"../secret.tcl\"\nmodule a; initial \$readmemh(\"link\", m); endmodule"
close $f
add_files a.v
set_property include_dirs {{out} .. linked} [current_fileset]
create_bd_design d
catch {create_bd_cell -type module -reference a x} m; puts $m

#### constraints that source
create_project -part xc7z020clg484-1 p p
set f [open a.xdc w]; puts $f "source {out}/secret.tcl\nset f \[open {home}/.bashrc w\]"; close $f
add_files -fileset constrs_1 a.xdc
synth_design

#### repositories outside
create_project -part xc7z020clg484-1 p p
set_property ip_repo_paths [list {out} {home} /etc] [current_project]
catch {update_ip_catalog} m; puts $m
