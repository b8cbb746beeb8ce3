# SPDX-License-Identifier: BSD-3-Clause
#
# Runs one script in a safe interpreter. Whatever the tool itself would have to do, and all that touches files, is
# asked of the program at the other end: a line of base64 words on stdout (file and line of the call, command,
# words), and one line back on stdin. The script can reach neither channel, so it cannot answer itself.

namespace eval front {
    variable script [interp create -safe]

    # What Tcl 8.6 added: hidden until a script uses it, so that scripts can ask for it and its use is noted.
    variable newer {coroutine lmap tailcall throw try yield yieldto zlib}

    proc exchange {words} {
        set line {}
        foreach word $words {
            lappend line "=[binary encode base64 [encoding convertto utf-8 $word]]"
        }
        puts stdout [join $line " "]
        flush stdout
        if {[gets stdin answer] < 0} {
            exit 3
        }
        lassign $answer kind text
        return [list $kind [encoding convertfrom utf-8 [binary decode base64 [string range $text 1 end]]]]
    }

    # Innermost file and line that is being evaluated: of a procedure, where that is defined.
    proc origin {} {
        variable script
        for {set depth 1} {![catch {interp eval $script [list info frame -$depth]} frame]} {incr depth} {
            if {[dict exists $frame file]} {
                return [list [dict get $frame file] [dict get $frame line]]
            }
        }
        return {{} 0}
    }

    proc ask {args} {
        lassign [exchange [concat [origin] $args]] kind text
        if {$kind eq "error"} {
            return -code error -errorcode {SHELLGEN REFUSED} $text
        }
        return $text
    }

    # Called every second of a script that does not come to an end.
    proc tick {} {
        variable script
        if {[lindex [exchange {{} 0 __tick}] 1] eq "more"} {
            interp limit $script time -seconds [expr {[clock seconds] + 1}] -command front::tick
        }
    }

    proc standard {channel} {
        expr {$channel in {stdin stdout stderr}}
    }

    # ---- commands of Tcl that are not what they seem ---------------------------------------------------------
    proc puts_ {args} {
        variable script
        set words $args
        set end "\n"
        if {[llength $words] > 1 && [lindex $words 0] eq "-nonewline"} {
            set words [lrange $words 1 end]
            set end ""
        }
        if {[llength $words] == 1} {
            set words [linsert $words 0 stdout]
        }
        if {[llength $words] == 2 && [standard [lindex $words 0]]} {
            ask __print "[lindex $words 1]$end"
            return
        }
        interp invokehidden $script puts {*}$args
    }

    proc flush_ {channel} {
        variable script
        if {![standard $channel]} {
            interp invokehidden $script flush $channel
        }
    }

    proc fconfigure_ {channel args} {
        variable script
        if {![standard $channel]} {
            return [interp invokehidden $script fconfigure $channel {*}$args]
        }
    }

    proc open_ {path {access r} {permissions 0666}} {
        variable script
        set channel [::open [ask __open $path $access] $access]
        interp transfer {} $channel $script
        return $channel
    }

    proc file_ {option args} {
        variable script
        set known {
            atime attributes channels copy delete dirname executable exists extension isdirectory isfile join link
            lstat mkdir mtime nativename normalize owned pathtype readable readlink rename rootname separator size
            split stat system tail tempfile type volumes writable
        }
        set option [tcl::prefix match -message option $known $option]
        if {$option in {dirname extension join nativename pathtype rootname separator split tail}} {
            return [::file $option {*}$args]
        }
        if {$option eq "channels"} {
            return [lsearch -all -inline [interp eval $script {chan names}] [expr {[llength $args] ? [lindex $args 0] : "*"}]]
        }
        if {$option in {stat lstat}} {
            interp eval $script [list array set [lindex $args 1] [ask __file $option [lindex $args 0]]]
            return
        }
        ask __file $option {*}$args
    }

    # The tool's own takes options that say what it prints.
    proc source_ {args} {
        variable script
        while {[lindex $args 0] in {-notrace -quiet -verbose}} {
            set args [lrange $args 1 end]
        }
        interp invokehidden $script source {*}[lrange $args 0 end-1] [ask __source [lindex $args end]]
    }

    # Nothing takes time here that a script could wait for.
    proc after_ {when args} {
        variable script
        if {![string is integer -strict $when]} {
            return [interp invokehidden $script after $when {*}$args]
        }
        if {[llength $args]} {
            return [interp invokehidden $script after 0 {*}$args]
        }
    }

    proc exit_ {{code 0}} {
        ask __exit $code
        ::exit 0
    }

    proc unknown_ {args} {
        variable script
        variable newer
        set name [string trimleft [lindex $args 0] :]
        if {$name ni $newer || $name ni [interp hidden $script]} {
            return [ask $name {*}[lrange $args 1 end]]
        }
        ask __newer $name {*}[lrange $args 1 end]
        interp expose $script $name
        set code [catch {interp eval $script $args} result options]
        dict incr options -level
        return -options $options $result
    }

    proc prepare {} {
        variable script
        variable newer
        foreach name [concat {puts flush after} $newer] {
            if {[interp eval $script [list info commands $name]] ne ""} {
                interp hide $script $name
            }
        }
        foreach name {puts flush fconfigure open file source after exit unknown} {
            interp alias $script $name {} front::${name}_
        }
        foreach name {cd pwd glob} {
            interp alias $script $name {} front::ask __$name
        }
        foreach name {exec socket load unload} {
            interp alias $script $name {} front::ask __forbidden $name
        }
        interp alias $script encoding {} interp invokehidden $script encoding
        interp eval $script {
            array set ::tcl_platform {os Linux machine x86_64 user user osVersion 0}
            set ::auto_path {}
            set ::tcl_interactive 0
            proc parray {name {pattern *}} {
                upvar 1 $name table
                foreach key [lsort [array names table $pattern]] {
                    puts "${name}($key) = $table($key)"
                }
            }
        }
        array set given [lindex [exchange {{} 0 __start}] 1]
        foreach name $given(commands) {
            if {[string first :: $name] > 0} {
                interp eval $script [list namespace eval ::[namespace qualifiers $name] {}]
            }
            interp alias $script ::$name {} front::ask $name
        }
        interp eval $script [list array set ::env $given(env)]
        interp eval $script {set ::errorCode NONE; set ::errorInfo {}}
        interp eval $script [list set ::argv0 vivado]
        interp eval $script [list set ::argv $given(argv)]
        interp eval $script [list set ::argc [llength $given(argv)]]
        return $given(script)
    }
}

fconfigure stdin -encoding utf-8
fconfigure stdout -encoding utf-8
set file [front::prepare]
interp limit $front::script time -seconds [expr {[clock seconds] + 1}] -command front::tick
if {[catch {interp invokehidden $front::script -global source $file} message]} {
    front::exchange [list {} 0 __failed $message $::errorInfo]
    exit 0
}
front::exchange {{} 0 __exit 0}
