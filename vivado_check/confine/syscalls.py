# SPDX-License-Identifier: BSD-3-Clause
"""Filters of system calls (seccomp, mode 2), as the programs of BPF that the kernel takes.

Source: seccomp(2); linux/filter.h, linux/seccomp.h, linux/audit.h; asm/unistd_64.h and asm-generic/unistd.h.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass

# Opcodes: load a word of struct seccomp_data, jump, mask, return.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32 = 0x40000000  # the second numbering of x86-64
_EPERM, _ENOSYS = 1, 38
# From this number on, all machines number alike. A call that the kernel has got since is none that is needed.
_COMMON = 424
_LATER = {"close_range": 436, "openat2": 437, "faccessat2": 439, "epoll_pwait2": 441}

# By machine: AUDIT_ARCH_*, and the number of each call.
_NAMES = """
read write readv writev close fstat lseek poll ppoll select pselect6 mmap mprotect munmap mremap brk
madvise futex rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack clock_gettime clock_getres
clock_nanosleep nanosleep gettimeofday time getpid gettid exit exit_group getrandom sched_yield
restart_syscall set_robust_list rseq clone clone3 getrusage times tgkill pipe2 fcntl membarrier
socket execve execveat ptrace process_vm_readv process_vm_writev bpf io_uring_setup mount umount2
keyctl add_key request_key perf_event_open userfaultfd pidfd_open pidfd_getfd kill tkill
rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal setns unshare connect bind prlimit64
open_by_handle_at chroot pivot_root personality move_mount open_tree fsopen fsmount mount_setattr
setxattr lsetxattr fsetxattr fchmod fchmodat fchown fchownat utimensat truncate
removexattr lremovexattr fremovexattr setpriority ioprio_set sched_setaffinity sched_setscheduler
sched_setparam sched_setattr msgget semget shmget mq_open sethostname setdomainname settimeofday
clock_settime adjtimex clock_adjtime acct swapon swapoff reboot init_module finit_module delete_module
kexec_load kexec_file_load quotactl syslog fanotify_init vhangup mknodat ioctl
""".split()  # noqa: SIM905 - columns of numbers below
_X86_64 = """
0 1 19 20 3 5 8 7 271 23 270 9 10 11 25 12 28
202 13 14 15 131 228 229 230 35
96 201 39 186 60 231 318 24 219 273 334 56
435 98 100 234 293 72 324 41 59 322 101 310
311 321 425 165 166 250 248 249 298 323
434 438 62 200 129 297 424 308 272 42 49
302 304 161 155 135 429 428 430 432 442
188 189 190 91 268 93 260 280 76
197 198 199 141 251 203 144
142 314 68 64 29 240 170 171 164
227 159 305 163 167 168 169 175 313 176
246 320 179 103 300 153 259 16
"""
_AARCH64 = """
63 64 65 66 57 80 62 - 73 - 72 222 226 215 216 214 233
98 134 135 139 132 113 114 115 101
169 - 172 178 93 94 278 124 128 99 293 220
435 165 153 131 59 25 283 198 221 281 117 270
271 280 425 40 39 219 217 218 241 282
434 438 129 130 138 240 424 268 97 203 200
261 265 51 41 92 429 428 430 432 442
5 6 7 52 53 55 54 88 45
14 15 16 140 30 122 119
118 274 186 190 194 180 161 162 170
112 171 266 89 224 225 142 105 273 106
104 294 60 116 262 58 33 29
"""
# Calls of x86-64 that the other machine never had: their names are not in the common list.
_OLD_X86_64 = {"chmod": 90, "chown": 92, "lchown": 94, "utime": 132, "utimes": 235, "futimesat": 261}
_OLD_X86_64 |= {"mknod": 133}
_MACHINES = {"x86_64": (0xC000003E, _X86_64, _OLD_X86_64), "aarch64": (0xC00000B7, _AARCH64, {})}

# What a process needs that computes, answers over the descriptors that it has, and ends.
_COMPUTING = """
read write readv writev close fstat lseek poll ppoll select pselect6 munmap mremap brk madvise futex
rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack clock_gettime clock_getres clock_nanosleep
nanosleep gettimeofday time getpid gettid exit exit_group getrandom sched_yield restart_syscall
set_robust_list rseq getrusage times pipe2 membarrier
""".split()  # noqa: SIM905 - as above
# What no reader of files needs.
_NEVER = """
socket connect bind ptrace process_vm_readv process_vm_writev bpf io_uring_setup mount umount2
keyctl add_key request_key perf_event_open userfaultfd pidfd_getfd setns unshare open_by_handle_at
chroot pivot_root move_mount open_tree fsopen fsmount mount_setattr setxattr lsetxattr fsetxattr
fchmod fchmodat fchown fchownat utimensat truncate chmod chown lchown utime utimes futimesat
personality removexattr lremovexattr fremovexattr setpriority ioprio_set sched_setaffinity
sched_setscheduler sched_setparam sched_setattr msgget semget shmget mq_open sethostname setdomainname
settimeofday clock_settime adjtimex clock_adjtime acct swapon swapoff reboot init_module finit_module
delete_module kexec_load kexec_file_load quotactl syslog fanotify_init vhangup mknod mknodat
""".split()  # noqa: SIM905 - as above

_PROT_EXEC, _CLONE_THREAD = 4, 0x10000
_CLONE_NAMESPACES = 0x7E020000  # all CLONE_NEW* but that of time, which only clone3 takes
# FS_IOC_SETFLAGS, FS_IOC_SETVERSION, FS_IOC_FSSETXATTR, TIOCSTI, TIOCLINUX.
_IOCTLS = (0x40086602, 0x40087602, 0x401C5820, 0x5412, 0x541C)
_F_GETFD, _F_SETFD, _F_GETFL, _F_SETFL = 1, 2, 3, 4


@dataclass(frozen=True)
class Machine:
    """Numbers of a machine's system calls.

    Attributes:
        audit: What the kernel calls it (AUDIT_ARCH_*).
        numbers: By name; a call that it never had is missing.
    """

    audit: int
    numbers: dict[str, int]


def machine(name: str = "") -> Machine | None:
    """Return the numbers of a machine, of this one if it has no name; None if they are not known here."""
    found = _MACHINES.get(name or os.uname().machine)
    if found is None:
        return None
    audit, text, more = found
    columns = zip(_NAMES, text.split(), strict=True)
    return Machine(audit, {call: int(number) for call, number in columns if number != "-"} | more)


def _code(operation: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", operation, yes, no, value)


def _head(of: Machine) -> list[bytes]:
    """Return what each filter begins with: other numberings are refused, and the number is loaded."""
    return [
        _code(_LOAD, _ARCHITECTURE),
        _code(_EQUAL, of.audit, 1, 0),
        _code(_RETURN, _KILL),
        _code(_LOAD, _NUMBER),
        _code(_AT_LEAST, _X32, 0, 1),
        _code(_RETURN, _ERRNO | _EPERM),
    ]


def _answer(of: Machine, names: Iterable[str], answer: int) -> list[bytes]:
    found = []
    for name in names:
        if name in of.numbers:
            found += [_code(_EQUAL, of.numbers[name], 0, 1), _code(_RETURN, answer)]
    return found


def _when(number: int, argument: int, test: int, value: int, answers: tuple[int, int]) -> list[bytes]:
    """Return the rule of one call whose answer hangs on the low word of an argument."""
    return [
        _code(_EQUAL, number, 0, 4),
        _code(_LOAD, _ARGUMENTS + 8 * argument),
        _code(test, value, 0, 1),
        _code(_RETURN, answers[0]),
        _code(_RETURN, answers[1]),
    ]


def computing_only(of: Machine, pid: int) -> bytes:
    """Return the filter of a process that may compute and use the descriptors it has, and nothing else.

    Args:
        of: This machine.
        pid: Of the process; a signal goes to itself only, as in ``abort``.
    """
    refused = _ERRNO | _EPERM
    number = of.numbers
    code = _head(of) + _answer(of, _COMPUTING, _ALLOW)
    for call in ("mmap", "mprotect"):
        code += _when(number[call], 2, _ANY_BIT, _PROT_EXEC, (refused, _ALLOW))
    code += _when(number["clone"], 0, _ANY_BIT, _CLONE_THREAD, (_ALLOW, refused))
    code += _when(number["tgkill"], 0, _EQUAL, pid, (_ALLOW, refused))
    code += _answer(of, ("clone3",), _ERRNO | _ENOSYS)  # its flags lie in memory, and clone does as well
    code += [_code(_EQUAL, number["fcntl"], 0, 3), _code(_LOAD, _ARGUMENTS + 8)]
    code += [_code(_AT_LEAST, _F_SETFL + 1, 1, 0), _code(_RETURN, _ALLOW)]
    return b"".join([*code, _code(_RETURN, refused)])


def reading_only(of: Machine) -> bytes:
    """Return the filter of a process that reads files: no network, no other process, no rights of files."""
    refused = _ERRNO | _EPERM
    number = of.numbers
    code = _head(of) + _answer(of, _NEVER, refused)
    code += _when(number["clone"], 0, _ANY_BIT, _CLONE_NAMESPACES, (refused, _ALLOW))
    code += _when(number["prlimit64"], 0, _EQUAL, 0, (_ALLOW, refused))  # its own limits only
    for request in _IOCTLS:
        code += [_code(_EQUAL, number["ioctl"], 0, 3), _code(_LOAD, _ARGUMENTS + 8)]
        code += [_code(_EQUAL, request, 0, 1), _code(_RETURN, refused), _code(_LOAD, _NUMBER)]
    for later in _LATER.values():
        code += [_code(_EQUAL, later, 0, 1), _code(_RETURN, _ALLOW)]
    code += [_code(_AT_LEAST, _COMMON, 0, 1), _code(_RETURN, _ERRNO | _ENOSYS)]
    return b"".join([*code, _code(_RETURN, _ALLOW)])
