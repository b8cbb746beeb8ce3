// SPDX-License-Identifier: BSD-3-Clause
// networklayer and cmac of VNx in a rehearsal: each packet of the core is a datagram on a loopback address that stands for the
// card's. Nothing passes until the host has set up addresses, socket table and ARP; packets may be lost, as in VNx.
// Sources: Xilinx/xup_vitis_network_example, NetLayers and Ethernet; hpcn-uam/100G-fpga-network-stack-core; PG203.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core_model.h"
#include "disturb.h"

namespace card_model {

constexpr std::size_t kBeat = 64;

// One port of a card: the pins of the core, the registers of both kernels, and sockets.
class UdpStack {
public:
    // `network`: the first three numbers of the loopback addresses; `rows`: of the socket table; `loss`: chance of a packet to be
    // lost, out of 65536. `out` and `in` are pins of the core. `disturb`, if there is one, lives longer.
    UdpStack(std::string network, unsigned rows, unsigned loss, shellgen::StreamPins out, std::uint8_t *out_dest, shellgen::StreamPins in,
             std::uint8_t *in_dest, Disturb *disturb);
    UdpStack(const UdpStack &) = delete;
    ~UdpStack();

    // A board has this address, whose last number is given; its system answers ARP.
    void knows(unsigned last) { boards_.insert(last); }
    // Registers of networklayer and of cmac. Throws std::runtime_error beyond them.
    std::uint32_t layer(bool writes, std::uint32_t offset, std::uint32_t value);
    std::uint32_t mac(bool writes, std::uint32_t offset, std::uint32_t value);
    // Takes what has come from the network.
    void poll();
    // Sets the pins to the core for the next cycle.
    void offer();
    // Takes what moved in this cycle; tells whether anything has.
    bool move();

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::uint32_t kWindow = 0x2000;
    struct Beat {
        std::array<std::uint8_t, kBeat> data{};
        std::uint64_t keep = 0;
        bool last = false;
        std::uint16_t row = 0;
    };
    struct Resolution;

    std::uint32_t word(std::uint32_t offset) const;
    void set_word(std::uint32_t offset, std::uint32_t value);
    std::uint32_t row_word(unsigned array, unsigned row) const;
    bool link() const;
    bool lost();
    void bind_all();
    void close_all();
    int bound(std::uint32_t ip, std::uint16_t port) const;
    void discover();
    void resolve(const Resolution &message, std::uint32_t ip);
    void hear();
    void learn(std::uint32_t ip, const std::uint8_t *mac);
    void send();
    void put(const Packet &packet, unsigned row);
    void deliver(const std::uint8_t *data, std::size_t bytes, unsigned row);

    std::string network_;
    unsigned rows_, loss_;
    std::uint32_t chance_ = 1;
    shellgen::StreamPins out_, in_;
    std::uint8_t *out_dest_, *in_dest_;
    Disturb *disturb_;
    std::vector<std::uint8_t> layer_;
    std::map<std::uint32_t, std::uint32_t> mac_;
    std::uint32_t stale_;
    Packet packet_;  // of the core, so far
    unsigned packet_row_ = 0;
    bool begun_ = false;
    std::deque<Beat> beats_;  // to the core
    bool offers_ = false;
    bool changed_ = true;                // addresses or ports
    Clock::time_point again_{};          // when to try once more to have them
    std::map<std::uint16_t, int> sockets_;  // by own port
    std::set<std::uint32_t> boards_;
    int resolver_ = -1;
    std::uint32_t bound_ip_ = 0;
};

}  // namespace card_model
