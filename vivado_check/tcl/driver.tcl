# SPDX-License-Identifier: BSD-3-Clause
#
# Runs one script in a safe interpreter. Whatever the tool itself would have to do, and all that touches files, is
# asked of the program at the other end: a line of base64 words on stdout (file and line of the call, command,
# words), and one line back on stdin. The script can reach neither channel, so it cannot answer itself.
#
# No command here opens a file. A channel that a script opens is one of `chan create`, whose bytes the other end
# keeps; the text of a script that is sourced is handed over, and Tcl's library finds it in place of a file.

namespace eval front {
    variable script [interp create -safe]
    # Files that are being run, innermost last: path, its commands, the one that was begun, the marks of all.
    variable under_way {}
    variable ended  ;# files that were run before
    variable broken {}  ;# files that an error ended: path, line, commands that were not run
    variable tool  ;# names of the tool's commands
    array set ended {}
    array set tool {}

    # Commands that are called by traces.
    variable watching {::tcl::changed ::tcl::lost ::tcl::defined ::tcl::handled}

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
        # Within what is there, since an error would change the script's errorInfo.
        set deepest [interp eval $script {info frame}]
        for {set depth 1} {$depth < $deepest} {incr depth} {
            set frame [interp eval $script [list info frame -$depth]]
            if {[dict exists $frame file]} {
                return [list [dict get $frame file] [dict get $frame line]]
            }
        }
        return {{} 0}
    }

    # Who is asked: `tcl` is this file and what stands behind it, `tool` whatever a script calls by a name.
    proc ask {who args} {
        lassign [exchange [concat [origin] [list $who] $args]] kind text
        if {$kind eq "error"} {
            return -code error -errorcode {SHELLGEN REFUSED} $text
        }
        return $text
    }

    # Called every second of a script that does not come to an end.
    proc tick {} {
        variable script
        if {[lindex [exchange {{} 0 tcl tick}] 1] eq "more"} {
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
            ask tcl print "[lindex $words 1]$end"
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

    # The other end says what the words of the access mean, and keeps the bytes and the position.
    proc open_ {path {access r} {permissions 0666}} {
        variable script
        lassign [ask tcl open $path $access] handle modes binary
        set channel [chan create $modes [list front::file_channel $handle]]
        ::fconfigure $channel -buffersize 65536
        if {$binary} {
            ::fconfigure $channel -translation binary
        }
        interp transfer {} $channel $script
        return $channel
    }

    proc file_channel {handle method channel args} {
        switch $method {
            initialize {
                return {initialize finalize watch read write seek}
            }
            finalize {
                ask tcl close $handle
            }
            read {
                return [ask tcl read $handle [lindex $args 0]]
            }
            write {
                return [ask tcl write $handle [lindex $args 0]]
            }
            seek {
                return [ask tcl seek $handle {*}$args]
            }
        }
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
            interp eval $script [list array set [lindex $args 1] [ask tcl file $option [lindex $args 0]]]
            return
        }
        ask tcl file $option {*}$args
    }

    # The tool's own takes options that say what it prints.
    proc source_ {args} {
        while {[lindex $args 0] in {-notrace -quiet -verbose}} {
            set args [lrange $args 1 end]
        }
        # What ends a loop that sources the file (break, continue) goes through to it.
        set code [catch {evaluate {} [lrange $args 0 end-1] [lindex $args end]} result options]
        dict incr options -level
        return -options $options $result
    }

    proc evaluate {scope options file} {
        variable script
        variable handed
        variable under_way
        variable ended
        variable broken
        lassign [ask tcl source $file] path handed
        set begun {}
        set marks {}
        set as [lindex $options 1]
        if {[llength $options] != 2 || [catch {encoding convertfrom $as $handed} plain]} {
            lassign [marked $handed] handed begun marks
        } elseif {[string match "*begun;" [encoding convertfrom $as [encoding convertto $as "::tcl::begun;"]]]} {
            lassign [marked $plain] plain begun marks
            set handed [encoding convertto $as $plain]
        } else {
            ask tcl unread $path $as
        }
        lappend under_way [list $path $begun -1 $marks]
        set code [catch {interp invokehidden $script {*}$scope source {*}$options $path} result options]
        unset -nocomplain handed
        if {$code == 0} {
            tell_early [lindex $under_way end]
        } elseif {[set left [left_of [lindex $under_way end]]] > 0} {
            lappend broken [list $path [lindex $begun [lindex $under_way end 2] 0] $left]
        }
        set under_way [lrange $under_way 0 end-1]
        if {$code == 0} {
            set ended($path) 1
        }
        dict incr options -level
        return -options $options $result
    }

    # ---- what a script does not run --------------------------------------------------------------------------
    # Before each command of a file stands a call that says how far it has come. Where a command ends is said by
    # Tcl itself; a line that is in doubt is taken for one with the next. Each call has a mark that nobody can
    # guess, so that a script cannot say itself that it has come further.

    # Return the text with these calls, for each its line and whether the command does something, and the marks.
    proc marked {text} {
        set text [string map [list "\r\n" "\n" "\r" "\n"] $text]
        set begun {}
        set parts {}  ;# of the text, cut before each command
        set made {}
        set chunk {}
        set lines 0
        set at 1
        set next 1
        foreach line [split $text "\n"] {
            append chunk $line "\n"
            incr next
            # In a long one most lines are inside braces, and each look is at all of it.
            if {([incr lines] > 40 && [string is space [string index $line 0]]) || ![info complete $chunk]} {
                continue
            }
            foreach command [commands $chunk] {
                set bare [string trimleft $command "; \t\n"]
                if {$bare ne {} && [string index $bare 0] ne "#"} {
                    set skipped [expr {[string length $command] - [string length $bare]}]
                    lappend parts $made[string range $command 0 $skipped-1]
                    set made $bare
                    set before [string range $command 0 $skipped-1]
                    incr at [regexp -all {\n} $before]
                    lappend begun [list $at [expr {![regexp {^(exit|quit|return|puts)\M} $bare]}]]
                    incr at [regexp -all {\n} $bare]
                } else {
                    append made $command
                    incr at [regexp -all {\n} $command]
                }
            }
            set chunk {}
            set lines 0
        }
        set marks {}
        set text {}
        foreach part $parts mark [lindex [exchange [list {} 0 tcl marks [llength $parts]]] 1] {
            append text $part "::tcl::begun $mark;"
            dict set marks $mark [dict size $marks]
        }
        return [list [string range $text$made$chunk 0 end-1] $begun $marks]
    }

    # Split what is complete at semicolons; of a long text, only its last line.
    proc commands {chunk} {
        set from 0
        if {[string length $chunk] > 4000} {
            set from [expr {[string last "\n" $chunk end-1] + 1}]
        }
        set found {}
        set start 0
        while {[set end [string first ";" $chunk $from]] >= 0} {
            set from [expr {$end + 1}]
            set head [string range $chunk $start $end-1]
            if {[string index [string trimleft $head "; \t\n"] 0] eq "#"} {
                break
            }
            regexp {\\*$} $head slashes
            if {[string length $slashes] % 2 == 0 && [info complete $head]} {
                lappend found $head
                set start $end
            }
        }
        return [lappend found [string range $chunk $start end]]
    }

    proc begun {mark} {
        variable under_way
        set marks [lindex $under_way end 3]
        if {[dict exists $marks $mark]} {
            lset under_way end 2 [dict get $marks $mark]
        } else {
            ask tcl redefined tcl::begun
        }
    }

    # Return how many commands of a file were not begun that do something.
    proc left_of {file} {
        lassign $file path begun index
        set left 0
        foreach one [lrange $begun $index+1 end] {
            incr left [lindex $one 1]
        }
        return $left
    }

    # Tell of a file that is left, unless it was run to its end before: then it guards itself.
    proc tell_early {file} {
        variable ended
        lassign $file path begun index
        set left [left_of $file]
        if {$left && ![info exists ended($path)]} {
            ask tcl early $path [lindex $begun $index 0] $left
        }
    }

    # ---- commands that a script replaces ---------------------------------------------------------------------
    proc watch {} {
        variable script
        variable tool
        foreach {name does} {begun begun changed changed lost changed defined defined handled handled} {
            interp alias $script ::tcl::$name {} front::$does
        }
        set names [interp eval $script {info commands ::*}]
        foreach name [array names tool] {
            if {[string first :: $name] > 0} {
                lappend names ::$name
            }
        }
        foreach name $names {
            # Whose own are replaced by what only prints or loads.
            if {$name ni {::puts ::parray ::tclLog ::history ::auto_load ::auto_execok ::auto_qualify ::auto_import}} {
                catch {interp invokehidden $script trace add command $name {rename delete} ::tcl::changed}
            }
        }
        # Those that watch are watched by another of them.
        foreach {name by} {begun changed defined changed handled changed changed lost lost changed} {
            interp invokehidden $script trace add command ::tcl::$name {rename delete} ::tcl::$by
        }
        interp invokehidden $script trace add execution ::proc enter ::tcl::defined
        interp invokehidden $script trace add execution ::tcl::namespace::unknown enter ::tcl::handled
    }

    # A trace of an execution can keep a command from being run; those of this file stay, unseen.
    proc trace_ {args} {
        variable script
        variable tool
        variable watching
        lassign $args option kind name operations callback
        if {[catch {
            set option [tcl::prefix match {add info remove variable vdelete vinfo} $option]
            set kind [tcl::prefix match {command execution variable} $kind]
        }] || $option ni {add info remove} || $kind eq "variable"} {
            return [interp invokehidden $script trace {*}$args]
        }
        set plain [string trimleft [interp eval $script [list namespace which -command $name]] :]
        set ours [expr {$callback in $watching}]
        if {$ours || ($option eq "add" && $kind eq "execution"
            && ([info exists tool($plain)] || [regexp {step} $operations]))} {
            ask tcl redefined [expr {$ours ? "trace" : $plain}]
        }
        if {$ours} {
            return
        }
        set result [interp invokehidden $script trace {*}$args]
        if {$option ne "info"} {
            return $result
        }
        return [lsearch -all -inline -not -regexp $result {^\S+ ::tcl::(changed|lost|defined|handled)$|::tcl::(changed|lost)$}]
    }

    # A handler of unknown commands that a script gives a namespace.
    proc handled {command operation} {
        if {[llength $command] > 1 && [lindex $command end] ni {{} unknown ::unknown}} {
            ask tcl redefined unknown
        }
    }

    proc changed {old new operation} {
        ask tcl redefined [string trimleft $old :]
    }

    # A procedure of a script that is not in the way of a command that is modelled, and yet has a name of Vivado's.
    proc defined {command operation} {
        variable script
        variable tool
        set name [lindex $command 1]
        if {![string match ::* $name]} {
            set name [string trimright [interp eval $script {namespace current}] :]::$name
        }
        set plain [string range $name 2 end]
        if {![info exists tool($plain)] && [info exists tool([namespace tail $name])]} {
            ask tcl namesake $plain
        } elseif {[info exists tool($plain)]} {
            ask tcl redefined $plain
        }
    }

    # Names that came into a namespace in another way, or into an interpreter that the script has made.
    proc tell_namesakes {} {
        variable script
        variable tool
        set spaces {::}
        while {[llength $spaces]} {
            set spaces [lassign $spaces space]
            foreach name [interp eval $script [list namespace eval $space {info commands [namespace current]::*}]] {
                if {[info exists tool([namespace tail $name])] && ![info exists tool([string range $name 2 end])]} {
                    ask tcl namesake [string trimleft $name :]
                }
            }
            foreach inner [interp eval $script [list namespace children $space]] {
                if {$inner ni {::tcl ::oo ::zlib}} {
                    lappend spaces $inner
                }
            }
        }
        foreach inner [interp children $script] {
            foreach name [interp eval [list {*}$script $inner] {info procs ::*}] {
                if {[info exists tool([namespace tail $name])]} {
                    ask tcl namesake [lindex $inner end]$name
                }
            }
        }
    }

    proc tell_hidden {} {
        variable script
        variable under_way
        variable ended
        variable broken
        foreach file [lreverse $under_way] {
            tell_early $file
        }
        foreach file $broken {
            if {![info exists ended([lindex $file 0])]} {
                ask tcl early {*}$file
            }
        }
        catch tell_namesakes
        catch {
            if {[interp eval $script {namespace eval :: {namespace unknown}}] ni {{} ::unknown}} {
                ask tcl redefined unknown
            }
        }
    }

    # Called by Tcl's library when it reads the script that is sourced.
    proc take {} {
        variable handed
        variable text $handed
        variable at 0
        unset handed
        set channel [chan create read front::text_channel]
        ::fconfigure $channel -buffersize 65536
        return $channel
    }

    proc text_channel {method channel args} {
        variable text
        variable at
        switch $method {
            initialize {
                return {initialize finalize watch read}
            }
            finalize {
                set text {}
            }
            read {
                set bytes [string range $text $at [expr {$at + [lindex $args 0] - 1}]]
                incr at [string length $bytes]
                return $bytes
            }
        }
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
        if {![string is integer -strict $code]} {
            return -code error "expected integer but got \"$code\""
        }
        set code [expr {$code & 0xff}]  ;# all that the caller of a program gets
        if {$code == 0} {
            tell_hidden
        }
        ask tcl exit $code
        ::exit 0
    }

    # Return the one command of Tcl that a name is the beginning of; of Vivado's, the other end knows.
    proc abbreviated {name} {
        variable script
        variable tool
        if {![regexp {^[a-z]{3,}$} $name]} {
            return ""
        }
        set found [interp eval $script [list info commands ::$name*]]
        set whole [string trimleft [lindex $found 0] :]
        if {[llength $found] != 1 || [info exists tool($whole)] || [interp eval $script [list info procs $whole]] ne ""} {
            return ""
        }
        return $whole
    }

    proc unknown_ {args} {
        variable script
        variable newer
        set name [string trimleft [lindex $args 0] :]
        if {$name eq "bgerror"} {
            return [ask tcl later [lindex $args 1]]
        }
        if {$name ni $newer || $name ni [interp hidden $script]} {
            set whole [abbreviated $name]
            if {$whole eq ""} {
                return [ask tool $name {*}[lrange $args 1 end]]
            }
            ask tcl abbreviated $name $whole
            set code [catch {interp eval $script [lreplace $args 0 0 $whole]} result options]
            dict incr options -level
            return -options $options $result
        }
        ask tcl newer $name {*}[lrange $args 1 end]
        interp expose $script $name
        set code [catch {interp eval $script $args} result options]
        dict incr options -level
        return -options $options $result
    }

    proc prepare {} {
        variable script
        variable newer
        foreach name [concat {puts flush after trace} $newer] {
            if {[interp eval $script [list info commands $name]] ne ""} {
                interp hide $script $name
            }
        }
        foreach name {puts flush fconfigure open file source after exit unknown trace} {
            interp alias $script $name {} front::${name}_
        }
        foreach name {cd pwd glob} {
            interp alias $script $name {} front::ask tcl $name
        }
        foreach name {exec socket load unload} {
            interp alias $script $name {} front::ask tcl forbidden $name
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
    }

    # What a regular expression matches from end to end; only one with a director (`***=`) has its own ends.
    proc matched {pattern nocase names} {
        set options [expr {$nocase ? "-nocase" : ""}]
        set found {}
        foreach name $names {
            if {[string match {\*\*\**} $pattern]} {
                set fits [expr {[regexp {*}$options -indices -- $pattern $name range]
                    && $range eq [list 0 [expr {[string length $name] - 1}]]}]
            } else {
                set fits [regexp {*}$options -- "^(?:$pattern)$" $name]
            }
            if {$fits} {
                lappend found $name
            }
        }
        return $found
    }

    # Return the script to run; nothing if the other end only wants to know what a pattern matches.
    proc begin {} {
        variable script
        variable tool
        array set given [lindex [exchange {{} 0 tcl start}] 1]
        if {[info exists given(pattern)]} {
            set failed [catch {matched $given(pattern) $given(nocase) $given(names)} found]
            exchange [list {} 0 tcl [expr {$failed ? "refused" : "matched"}] $found]
            return
        }
        foreach name $given(commands) {
            if {[string first :: $name] > 0} {
                interp eval $script [list namespace eval ::[namespace qualifiers $name] {}]
            }
            interp alias $script ::$name {} front::ask tool $name
        }
        foreach name [concat $given(commands) $given(reference)] {
            set tool($name) {}
        }
        watch
        interp eval $script [list array set ::env $given(env)]
        interp eval $script {set ::errorCode NONE; set ::errorInfo {}}
        interp eval $script [list set ::argv0 vivado]
        interp eval $script [list set ::argv $given(argv)]
        interp eval $script [list set ::argc [llength $given(argv)]]
        return $given(script)
    }

    proc main {} {
        variable script
        ::fconfigure stdin -encoding utf-8
        ::fconfigure stdout -encoding utf-8
        set file [begin]
        if {$file eq {}} {
            return
        }
        interp limit $script time -seconds [expr {[clock seconds] + 1}] -command front::tick
        set code [catch {evaluate -global {} $file} message]
        if {$code in {3 4}} {
            set message "invoked \"[lindex {break continue} $code-3]\" outside of a loop"
        }
        if {$code} {
            exchange [list {} 0 tcl failed $message $::errorInfo]
            return
        }
        tell_hidden
        exchange {{} 0 tcl exit 0}
    }
}

front::prepare
# What Tcl loads from files when it is first asked for.
clock format 0 -gmt 1
clock format 0
clock scan 2000-01-01
