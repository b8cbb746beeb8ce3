# SPDX-License-Identifier: BSD-3-Clause
#
# Runs one script in this interpreter; every command that Tcl itself does not know goes to the model as
# one line of base64 words on stdout, and the model's answer comes back on stdin.
#
# Vivado's Tcl is taken to be 8.5, so what 8.6 added is removed.

namespace eval model {
    proc ask {words} {
        set line {}
        foreach word $words {
            lappend line "=[binary encode base64 [encoding convertto utf-8 $word]]"
        }
        __puts stdout [join $line " "]
        flush stdout
        gets stdin answer
        set kind [lindex $answer 0]
        set text [encoding convertfrom utf-8 [binary decode base64 [string range [lindex $answer 1] 1 end]]]
        if {$kind eq "error"} {
            return -code error $text
        }
        return $text
    }
}

foreach name {lmap try throw tailcall coroutine yield yieldto zlib} {
    rename $name {}
}
rename puts __puts
rename exit __exit
rename source __source

# What a script prints must not get between the words.
proc puts {args} {
    set channel [expr {[lindex $args 0] eq "-nonewline" ? [lindex $args 1] : [lindex $args 0]}]
    if {[string match file* $channel] && [llength $args] > 1} {
        eval [linsert $args 0 __puts]
    } else {
        model::ask [list __print [lindex $args end]]
    }
    return
}

proc exit {{code 0}} {
    model::ask [list __exit $code]
    __exit 0
}

# The real command reports a missing file; only the model may run programs.
proc source {path} {
    uplevel 1 [list __source $path]
}
rename open __open
proc open {path {access r}} {
    if {[string index $path 0] eq "|"} {
        error "a script of ours runs no programs"
    }
    __open $path $access
}
foreach name {exec socket} {
    rename $name {}
}

proc unknown {args} {
    model::ask $args
}

set script [lindex $argv 0]
set argv [lrange $argv 1 end]
set argc [llength $argv]
set argv0 vivado
if {[catch {uplevel #0 [list __source $script]} message]} {
    model::ask [list __failed $message $::errorInfo]
    __exit 0
}
model::ask [list __exit 0]
