/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sessions of docs/vnx.md, for the model checker spin: one sender, one receiver, and between them a network.
 * tests/test_vnx_protocol.py runs it; what is proved, and for which sizes, is in docs/vnx.md.
 *
 * ANYTIME: every packet that was ever sent may arrive now, again, later or never, in any order. The network has no
 *   state but the history of what was sent, so nothing bounds how many packets it holds, doubles or turns around.
 *   Shows safety.
 * otherwise: two queues that lose, double and overtake, FAULTS times in all, as do resets and early timeouts. Shows
 *   that after the faults every frame is accounted for, with weak fairness.
 *
 * A frame is PIECES packets. A ghost numbers all packets that the partition ever offers, so `content` of a packet tells
 * its frame and its place. Numbers do not wrap: a packet is taken to live shorter than 2**31 packets or 2**15 sessions.
 */
#ifndef FRAMES
#define FRAMES 3
#endif
#ifndef PIECES
#define PIECES 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef EPOCHS
#define EPOCHS 4        /* the sender stops after so many sessions: a bound on the search */
#endif
#ifndef FAULTS
#define FAULTS 2
#endif
#ifndef STRANGE
#define STRANGE 2       /* PROBEs in a row answered from elsewhere until the sender begins anew; 16 in hardware */
#endif
#define ALL (FRAMES * PIECES)
#define BIT(n) (1 << (n))

mtype = { DATA, HELLO, PROBE, WELCOME, ACK, RESTART };

/* ---- sender ---- */
byte tx_epoch;
bool s_on;              /* out of reset, and tx_epoch was counted up */
bool s_open;            /* in a session */
byte s_rx;              /* the receiver's half of it */
byte acked, high, made, limit;          /* numbers of packets in the session; high: sent never before */
byte strange;
byte s_base;            /* ghost: content of packet 0 of the session */

/* ---- receiver ---- */
byte rx_epoch;
bool r_open;
byte r_tx;
bool cand_on;
byte cand;
byte expected, freed;
chan waiting = [SLOTS] of { byte };     /* the buffer: contents in order, */
short ahead;            /* and slots with packets that came before one that is missing, */
byte kept[SLOTS];       /* and their contents */
byte newest;            /* packets below have come, or are known to be missing */
bool r_news;            /* something changed since the last ACK */

/* ---- what leaves the receiver ---- */
bool o_mid, o_fill;     /* inside a frame; the rest of it is being filled */
byte o_next;            /* content that must come next inside a frame */
byte o_seen;            /* frames below are past */
short reported;         /* ghost: frames named lost by the sender, cut by the receiver, or inside a side that was reset */

#define WAITS (len(waiting) > 0)
#define SLOT(seq) BIT((seq) % SLOTS)
#define FRAME(content) ((content) / PIECES)

/* Frames of contents a to b - 1 are reported. */
inline report(a, b) {
    if
    :: (a) < (b) ->
        n = FRAME(a);
        do
        :: n <= FRAME((b) - 1) -> reported = reported | BIT(n); n++
        :: else -> break
        od;
        n = 0
    :: else
    fi
}

/* ---- the network ---- */
#ifdef ANYTIME
/* What can make no difference any more is forgotten, which keeps the number of states small: answers to a tx_epoch
 * that is past, and packets of sessions that neither side is in or can still take. */
bool f_hello[EPOCHS + 1];       /* forward: HELLO of this tx_epoch */
byte f_rx[EPOCHS + 1];          /* session that was opened with it, 0 none: its PROBEs, */
byte f_low[EPOCHS + 1];         /* its DATA from here ... */
byte f_high[EPOCHS + 1];        /* ... to below here */
byte f_base[EPOCHS + 1];
short b_welcome;                /* back, for the sender's present tx_epoch: WELCOME with these rx_epochs, */
bool b_restart;                 /* RESTART, */
bool b_acks;                    /* and ACKs with all values up to these, sent or not */
byte b_expected, b_freed;

#define announce() f_hello[tx_epoch] = true
#define send_probe() skip
#define send_data(seq) f_high[tx_epoch] = (f_high[tx_epoch] > (seq) + 1 -> f_high[tx_epoch] : (seq) + 1)
#define send_ack() skip
inline send_welcome(tx, rx) { if :: tx == tx_epoch && !s_open -> b_welcome = b_welcome | BIT(rx) :: else fi }
inline send_restart(tx, rx) { if :: s_open && tx == tx_epoch && rx == s_rx -> b_restart = true :: else fi }
inline acks_follow() {
    if
    :: s_open && r_open && r_tx == tx_epoch && rx_epoch == s_rx -> b_acks = true; b_expected = expected; b_freed = freed
    :: else
    fi
}
inline forget_answers() { b_welcome = 0; b_restart = false; b_acks = false; b_expected = 0; b_freed = 0 }
inline forget_sessions() {
    n = 1;
    do
    :: n <= EPOCHS ->
        if
        :: f_rx[n] > rx_epoch || n == tx_epoch || (n == r_tx && f_rx[n] == rx_epoch)
        :: else -> f_rx[n] = 0; f_low[n] = 0; f_high[n] = 0; f_base[n] = 0
        fi;
        n++
    :: else -> break
    od;
    n = 0
}
inline forget_all() {
    n = 1;
    do
    :: n <= EPOCHS ->
        f_hello[n] = s_on && !s_open && n == tx_epoch;
        if
        :: s_open && n == tx_epoch -> f_low[n] = acked; f_high[n] = acked
        :: else -> f_rx[n] = 0; f_low[n] = 0; f_high[n] = 0; f_base[n] = 0
        fi;
        n++
    :: else -> break
    od;
    n = 0;
    forget_answers()
}
#define can_send(q) true
#define need_probe() skip
#define asked true
#define no_answer() skip
#define is_news() skip
#define arrived(turn) skip
#define forget_turns() skip
#define start_turns() skip
#define settle_turns() skip
#define turns_of(seq, have, turn) skip
#else
#ifndef ROOM
#define ROOM 3
#endif
chan forward = [ROOM] of { mtype, byte, byte, byte, byte, byte };       /* kind, seq, tx_epoch, rx_epoch, content, turn */
chan back = [ROOM] of { mtype, byte, byte, byte, byte, short, byte };   /* kind, seq, limit, tx_epoch, rx_epoch, have, turn */
byte faults;
/* Transmissions are numbered. Only differences matter, so what all are above is subtracted from all (settle_turns), and a
 * PROBE that nobody answers counts no further than TURNS. */
#define TURNS 15
byte turn;              /* of the next transmission */
byte echoed;            /* newest that has arrived, as far as the sender knows */
byte last_turn[SLOTS];  /* of what is in a slot of the sender */
short have;             /* slots of the sender that the receiver has */
byte r_turn;            /* newest that has arrived in the session */
bool asked;             /* a PROBE was sent, and no ACK has come since */
#define announce() skip
#define send_probe() forward!PROBE(high, tx_epoch, s_rx, 0, turn); turn = (turn < TURNS -> turn + 1 : turn); asked = true
#define send_data(seq) \
    assert(turn < TURNS); forward!DATA(seq, tx_epoch, s_rx, s_base + (seq), turn); last_turn[(seq) % SLOTS] = turn; turn++
/* A packet is lost if one that was sent later has arrived: whatever was sent before, new or again. */
#define LOST(seq) ((seq) < high && !(have & SLOT(seq)) && echoed > last_turn[(seq) % SLOTS])
#define arrived(turn) r_turn = (turn > r_turn -> turn : r_turn)
#define forget_turns() turn = 0; echoed = 0; have = 0; n = 0; do :: n < SLOTS -> last_turn[n] = 0; n++ :: else -> break od; n = 0
#define start_turns() r_turn = 0
inline settle_turns() {
    n = echoed; c = acked;
    do
    :: c < high ->
        if
        :: have & SLOT(c) -> last_turn[c % SLOTS] = 0
        :: else -> n = (last_turn[c % SLOTS] < n -> last_turn[c % SLOTS] : n)
        fi;
        c++
    :: else -> break
    od;
    c = 0;
    do                              /* free slots */
    :: c < SLOTS ->
        if :: (c + SLOTS - acked % SLOTS) % SLOTS >= high - acked -> last_turn[c] = 0 :: else fi;
        c++
    :: else -> break
    od;
    if
    :: n > 0 ->
        turn = turn - n; echoed = echoed - n; r_turn = (r_turn > n -> r_turn - n : 0);
        c = 0;
        do
        :: c < SLOTS -> last_turn[c] = (last_turn[c] > n -> last_turn[c] - n : 0); c++
        :: else -> break
        od;
        c = len(forward);
        do
        :: c > 0 -> forward?z_k(z_q, z_t, z_r, z_d, z_n); z_n = (z_n > n -> z_n - n : 0); forward!z_k(z_q, z_t, z_r, z_d, z_n); c--
        :: else -> break
        od;
        c = len(back);
        do
        :: c > 0 -> back?z_k(z_q, z_l, z_t, z_r, z_m, z_n); z_n = (z_n > n -> z_n - n : 0); back!z_k(z_q, z_l, z_t, z_r, z_m, z_n); c--
        :: else -> break
        od
    :: else
    fi;
    n = 0; c = 0
}
/* What an ACK says of slots is of packets from seq on. */
inline turns_of(seq, had, at) {
    n = acked;
    do                                                      /* of those that are acknowledged nothing is kept */
    :: n < seq -> have = have & ~SLOT(n); n++
    :: else -> break
    od;
    n = seq;
    do
    :: n < high ->
        if
        :: had & SLOT(n) ->
            assert(!(r_open && r_tx == tx_epoch && rx_epoch == s_rx) || n < expected || (ahead & SLOT(n)));
            have = have | SLOT(n)
        :: else
        fi;
        n++
    :: else -> break
    od;
    n = 0;
    echoed = (at > echoed && at < turn -> at : echoed)
}
/* The receiver keeps one answer, and a newer one replaces it: a full queue loses. */
#define send_back(kind, seq, lim, tx, rx, had, at) \
    if :: nfull(back) -> back!kind(seq, lim, tx, rx, had, at) :: full(back) fi
#define send_welcome(tx, rx) send_back(WELCOME, 0, SLOTS, tx, rx, 0, 0)
#define send_restart(tx, rx) send_back(RESTART, 0, 0, tx, rx, 0, 0)
#define send_ack() send_back(ACK, expected, freed + SLOTS, r_tx, rx_epoch, ahead, r_turn)
#define forget_answers() skip
#define forget_sessions() skip
#define acks_follow() skip
#define can_send(q) nfull(q)
#define need_probe() s_probe = true
#define no_answer() asked = false
#define is_news() r_news = true
#endif

/* ---- rules of the sender ---- */
inline credits_hold() {
    assert(acked <= high && high <= made);
    assert(made <= acked + SLOTS);                          /* its buffer does not overflow */
    assert(high <= limit && acked <= limit && limit <= acked + SLOTS)       /* credits are never negative */
}

inline begin_anew() {           /* what is not acknowledged is lost, and the frame that is being taken, up to its end */
    forget_answers();
#ifdef NO_RESETS
    assert(!s_on);                      /* without a reset nothing is ever lost */
#endif
    report(s_base + acked, s_base + ((made + PIECES - 1) / PIECES) * PIECES);
    s_base = s_base + ((made + PIECES - 1) / PIECES) * PIECES;
    no_answer(); s_probe = false; s_open = false; s_rx = 0; acked = 0; high = 0; made = 0; limit = 0; strange = 0;
    forget_turns();
    if
    :: tx_epoch < EPOCHS -> tx_epoch++; s_on = true; announce()
    :: else ->
#ifndef ANYTIME
        assert(false);
#endif
        s_on = false
    fi
}

inline got_welcome(tx, rx) {
    if
    :: s_on && !s_open && tx == tx_epoch ->
        s_open = true; s_rx = rx; limit = SLOTS;
#ifdef ANYTIME
        f_rx[tx_epoch] = rx; f_base[tx_epoch] = s_base;
#endif
        need_probe()
    :: else
    fi
}

inline got_ack(seq, lim, tx, rx, had, at) {
    if
    :: s_open && tx == tx_epoch && rx == s_rx ->
        if
        :: acked <= seq && seq <= high ->
            strange = 0; no_answer();
            if :: lim > limit -> limit = lim :: else fi;
            turns_of(seq, had, at);
            acked = seq;
            settle_turns();
            credits_hold()
        :: else ->
            if
            :: asked ->
                no_answer(); strange++;
                if :: strange == STRANGE -> begin_anew() :: else fi
            :: else
            fi
        fi
    :: else
    fi
}

inline got_restart(tx, rx) {
    if
    :: s_open && tx == tx_epoch && rx == s_rx -> begin_anew()
    :: else
    fi
}

/* ---- rules of the receiver ---- */
inline got_hello(tx) {
    if
    :: !WAITS && rx_epoch < EPOCHS -> cand_on = true; cand = tx; send_welcome(tx, rx_epoch + 1)
    :: else
    fi
}

inline drop_ahead() {
    ahead = 0;
    do
    :: n < SLOTS -> kept[n] = 0; n++
    :: else -> break
    od;
    n = 0
}

/* A DATA or PROBE: r_mine tells whether it is of the session, after a new one was taken if that is to be. */
inline look_at_session(tx, rx) {
    r_mine = false;
    if
    :: cand_on && tx == cand && rx == rx_epoch + 1 ->
        if
        :: !WAITS ->
            rx_epoch++; r_open = true; r_tx = tx; cand_on = false; cand = 0;
            expected = 0; freed = 0; newest = 0; r_news = false; r_mine = true; drop_ahead(); start_turns();
            forget_sessions(); acks_follow();
            if :: o_mid -> o_fill = true :: else fi
        :: WAITS
        fi
    :: else ->
        if
        :: r_open && tx == r_tx && rx == rx_epoch -> r_mine = true
        :: else -> send_restart(tx, rx)
        fi
    fi
}

inline got_probe(seq, tx, rx, at) {
    look_at_session(tx, rx);
    if :: r_mine -> arrived(at); r_news = false; send_ack() :: else fi;
    r_mine = false
}

inline got_data(seq, tx, rx, content, at) {
    look_at_session(tx, rx);
    if
    :: r_mine ->
        arrived(at);
        assert(seq < freed + SLOTS);                        /* a sender that keeps to the limit always finds a slot */
        if
        :: seq >= expected && !(ahead & SLOT(seq)) ->
            ahead = ahead | SLOT(seq); kept[(seq) % SLOTS] = content;
            do
            :: ahead & SLOT(expected) ->
                ahead = ahead & ~SLOT(expected);
                waiting!kept[expected % SLOTS];
                kept[expected % SLOTS] = 0;
                expected++
            :: else -> break
            od;
            acks_follow(); is_news();
            if :: seq > newest -> r_news = false; send_ack() :: else fi;
            newest = (seq + 1 > newest -> seq + 1 : newest)
        :: else
        fi
    :: else
    fi;
    r_mine = false
}

/* ---- what leaves ---- */
inline hand_on() {
    if
    :: o_fill -> reported = reported | BIT(FRAME(o_next)); o_seen = FRAME(o_next) + 1;
        o_fill = false; o_mid = false; o_next = 0
    :: !o_fill && WAITS ->
        waiting?c; freed++; acks_follow(); is_news();
        if
        :: o_mid -> assert(c == o_next)                     /* the next piece of the same frame */
        :: else ->
            assert(c % PIECES == 0);                        /* the first piece, */
            assert(FRAME(c) >= o_seen);                     /* not twice and not out of order, */
            n = o_seen;
            do
            :: n < FRAME(c) -> assert(reported & BIT(n)); n++   /* and who is missing was named */
            :: else -> break
            od;
            n = 0
        fi;
        if
        :: c % PIECES == PIECES - 1 -> o_mid = false; o_next = 0; o_seen = FRAME(c) + 1
        :: else -> o_mid = true; o_next = c + 1; o_seen = FRAME(c)
        fi;
        c = 0
    fi
}

inline reset_receiver() {
    if :: o_mid -> reported = reported | BIT(FRAME(o_next)) :: else fi;
    do
    :: waiting?c -> reported = reported | BIT(FRAME(c))
    :: !WAITS -> break
    od;
    c = 0;
    o_mid = false; o_fill = false; o_next = 0;
    r_open = false; r_tx = 0; cand_on = false; cand = 0; expected = 0; freed = 0; newest = 0; r_news = false;
    drop_ahead(); start_turns()
}

/* ---- who acts ---- */
hidden byte n, c;
hidden byte r_mine;
hidden byte z_q, z_t, z_r, z_d, z_l, z_n;
hidden short z_m;
hidden mtype z_k;
bool s_probe;           /* a PROBE is due at once */

#define MORE (s_base + made < ALL)
#ifdef ANYTIME
#define ANY_LOST false
#elif SLOTS == 2
#define ANY_LOST (LOST(acked) || LOST(acked + 1))
#elif SLOTS == 3
#define ANY_LOST (LOST(acked) || LOST(acked + 1) || LOST(acked + 2))
#endif
#define DONE (s_open && !MORE && acked == made && !WAITS && !o_mid)

active proctype partition() {
end:
    do
    :: atomic { s_open && MORE && made < acked + SLOTS -> made++ }
    od
}

active proctype consumer() {
end:
    do
    :: atomic { o_fill || WAITS -> hand_on() }
    od
}

active proctype sender() {
end:
    do
    :: atomic { !s_on && tx_epoch == 0 -> begin_anew() }
    :: atomic { s_open && s_probe && can_send(forward) -> send_probe(); s_probe = false }
    :: atomic { s_open && !s_probe && !ANY_LOST && high < made && high < limit && can_send(forward) ->
            send_data(high); high++;
            credits_hold() }
#ifndef ANYTIME
    /* What is lost is sent again, the oldest first. */
    :: atomic { s_open && !s_probe && ANY_LOST && can_send(forward) ->
        c = acked;
        do
        :: LOST(c) -> break
        :: else -> c++
        od;
        send_data(c); c = 0; settle_turns() }
#endif
    od
}

active proctype acker() {
end:
    do
    :: atomic { r_open && r_news && can_send(back) -> send_ack(); r_news = false }
    od
}

#ifdef ANYTIME
active proctype network() {
    byte t, q, l;
end:
    do
    :: atomic { select(t : 1 .. EPOCHS);
        if
        :: f_hello[t] -> got_hello(t)
        :: f_rx[t] -> got_probe(0, t, f_rx[t], 0)
        :: f_low[t] < f_high[t] ->
            q = f_low[t];
            do
            :: q + 1 < f_high[t] -> q++
            :: break
            od;
            got_data(q, t, f_rx[t], f_base[t] + q, 0)
        :: else
        fi;
        t = 0; q = 0 }
    :: atomic { s_on && !s_open && b_welcome ->
        q = 0;
        do
        :: b_welcome & BIT(q) -> break
        :: b_welcome >> (q + 1) -> q++
        od;
        got_welcome(tx_epoch, q);
        q = 0 }
    :: atomic { b_acks ->
        q = 0;
        do
        :: q < b_expected -> q++
        :: break
        od;
        l = 0;
        do
        :: l < b_freed && l < q -> l++
        :: l + SLOTS >= q -> break
        od;
        got_ack(q, l + SLOTS, tx_epoch, s_rx, 0, 0);
        q = 0; l = 0 }
    :: atomic { b_restart -> got_restart(tx_epoch, f_rx[tx_epoch]) }
    od
}

/* Either side is reset, or gets its bitstream anew; that takes longer than a packet lives. */
active proctype operator() {
end:
    do
    :: atomic { s_on -> begin_anew() }
    :: atomic { r_open || cand_on || WAITS || o_mid -> reset_receiver() }
#ifdef RELOADS
    :: atomic { tx_epoch > 1 -> begin_anew(); tx_epoch = 1; s_on = true; forget_all() }
    :: atomic { rx_epoch > 0 -> reset_receiver(); rx_epoch = 0; forget_all() }
#endif
    od
}
#else
/* The queues, the timers, and what goes wrong. An early timer counts as a fault; one in time finds nothing under way. */
#define FAULT (faults < FAULTS)
#define IDLE (len(forward) == 0 && len(back) == 0 && !r_news && (!s_open || ((high == made || high == limit) && !ANY_LOST)))
#define TIME (IDLE || (FAULT && nfull(forward)))
#define GONE_WRONG if :: IDLE :: else -> faults++ fi

inline at_receiver(kind, seq, tx, rx, content, at) {
    if
    :: kind == HELLO -> got_hello(tx)
    :: kind == PROBE -> got_probe(seq, tx, rx, at)
    :: kind == DATA -> got_data(seq, tx, rx, content, at)
    fi
}

inline at_sender(kind, seq, lim, tx, rx, had, at) {
    if
    :: kind == WELCOME -> got_welcome(tx, rx)
    :: kind == ACK -> got_ack(seq, lim, tx, rx, had, at)
    :: kind == RESTART -> got_restart(tx, rx)
    fi
}

active proctype timers() {
end:
    do
    :: atomic { s_on && !s_open && TIME -> GONE_WRONG; forward!HELLO(0, tx_epoch, 0, 0, 0) }
    :: atomic { s_open && !s_probe && !DONE && TIME -> GONE_WRONG; send_probe(); settle_turns() }
    od
}

active proctype to_receiver() {
    mtype k; byte q, t, r, d, i, a;
end:
    do
    :: atomic { len(forward) > 0 ->
        forward?k(q, t, r, d, a);
        if
        :: i = 1
        :: FAULT -> faults++;
            if
            :: i = 0                                        /* lost */
            :: i = 2                                        /* doubled */
            :: i = 0; forward!k(q, t, r, d, a)                 /* overtaken */
            :: i = 1; forward!k(q, t, r, d, a)                 /* doubled, and late */
            fi
        fi;
        do
        :: i > 0 -> at_receiver(k, q, t, r, d, a); i--
        :: else -> break
        od;
        k = 0; q = 0; t = 0; r = 0; d = 0; a = 0 }
    od
}

active proctype to_sender() {
    mtype k; byte q, l, t, r, i, a; short m;
end:
    do
    :: atomic { len(back) > 0 ->
        back?k(q, l, t, r, m, a);
        if
        :: i = 1
        :: FAULT -> faults++;
            if
            :: i = 0
            :: i = 2
            :: i = 0; back!k(q, l, t, r, m, a)
            :: i = 1; back!k(q, l, t, r, m, a)
            fi
        fi;
        do
        :: i > 0 -> at_sender(k, q, l, t, r, m, a); i--
        :: else -> break
        od;
        k = 0; q = 0; l = 0; t = 0; r = 0; m = 0; a = 0 }
    od
}

#ifndef NO_RESETS
active proctype operator() {
end:
    do
    :: atomic { s_on && FAULT -> faults++; begin_anew() }
    :: atomic { (r_open || cand_on) && FAULT -> faults++; reset_receiver() }
    od
}
#endif

/* Time goes on: a deadlock is then a cycle as well, and the search with fairness looks for nothing else. */
bool tick;
active proctype clock() {
    do
    :: tick = !tick
    od
}

ltl live { <>[] (DONE && (reported | (BIT(o_seen) - 1)) == BIT(FRAMES) - 1) }
#endif
