// SPDX-License-Identifier: BSD-3-Clause
//
// A model of lynx_pkg.sv, which Coyote v2 writes for each build: the names and widths that user logic sees.
// Macros STREAMS, CARDS and RDMA are the variables of CMake.
package lynxTypes;
    localparam integer AXIL_DATA_BITS = 64;
    localparam integer AXI_DATA_BITS  = 512;
    localparam integer AXI_ADDR_BITS  = 64;
    localparam integer PID_BITS       = 6;
    localparam integer DEST_BITS      = 4;
    localparam integer VADDR_BITS     = 48;
    localparam integer LEN_BITS       = 28;
    localparam integer OFFS_BITS      = 6;
    localparam integer OPCODE_BITS    = 5;
    localparam integer STRM_BITS      = 2;
    localparam integer NOTIFY_BITS    = 32;
    localparam integer N_STRM_AXI     = `STREAMS;
    localparam integer N_CARD_AXI     = `CARDS;
    localparam integer N_RDMA_AXI     = 1;
    localparam integer LOCAL_READ     = 1;
    localparam integer LOCAL_WRITE    = 2;
    localparam integer STRM_CARD      = 0;
    localparam integer STRM_HOST      = 1;

    typedef struct packed {
        logic [OPCODE_BITS-1:0] opcode;
        logic [STRM_BITS-1:0]   strm;
        logic                   mode;
        logic                   rdma;
        logic                   remote;
        logic [DEST_BITS-1:0]   vfid;
        logic [PID_BITS-1:0]    pid;
        logic [DEST_BITS-1:0]   dest;
        logic                   last;
        logic [VADDR_BITS-1:0]  vaddr;
        logic [LEN_BITS-1:0]    len;
        logic                   actv;
        logic                   host;
        logic [OFFS_BITS-1:0]   offs;
        logic [18:0]            rsrvd;
    } req_t;

    typedef struct packed {
        logic [OPCODE_BITS-1:0] opcode;
        logic [STRM_BITS-1:0]   strm;
        logic                   remote;
        logic                   host;
        logic [DEST_BITS-1:0]   dest;
        logic [PID_BITS-1:0]    pid;
        logic [DEST_BITS-1:0]   vfid;
        logic [8:0]             rsrvd;
    } ack_t;

    typedef struct packed {
        logic [PID_BITS-1:0]    pid;
        logic [NOTIFY_BITS-1:0] value;
    } irq_not_t;
endpackage
