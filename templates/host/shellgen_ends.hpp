// SPDX-License-Identifier: BSD-3-Clause
// The streams of a run that come from other boards or go to them: --listen, --connect and --wait, as shellgen_run.py has
// them. C++17.
#ifndef SHELLGEN_ENDS_HPP
#define SHELLGEN_ENDS_HPP

#include "shellgen_listen.hpp"

namespace {

// What the command line says of other boards.
struct Others {
    std::string listen;
    std::vector<std::string> connect;
    double wait = 60.0;

    bool any() const { return !listen.empty() || !connect.empty(); }
};

class Ends {
public:
    Ends(const Others &others, shellgen_job &job, const shellgen_files &files) : others_(others), job_(job), files_(files)
    {
        for (uint32_t index = 0; index < node_.streams; index++) {
            const shellgen_stream &stream = node_.stream[index];
            if (!stream.weights && job.engine->has(&node_, index) && !shellgen_away(&node_, &job.absent, index))
                (stream.tx ? leave_ : enter_)[index] = &stream;
        }
    }

    // Wait for the other boards, which may wait for this one: a sink is opened as soon as the number of frames is known.
    bool open(shellgen_error &error)
    {
        std::map<uint32_t, const shellgen_stream *> missing;
        for (const auto &one : enter_)
            if (!files_.input[one.first])
                missing.insert(one);
        if (!agrees(missing, error))
            return false;
        if (!others_.any())
            return true;
        if (!read_files(error) || !plan_sinks(error))
            return false;
        Listener listener(others_.listen, missing, sources_);
        if (!missing.empty() && !listener.open(error))
            return false;
        const double end = shellgen_now() + others_.wait;
        while (open_sinks(error)) {
            if (sources_.size() == missing.size())
                return settle(error);
            if (!listener.wait(end, error))
                return false;
        }
        return false;
    }

    // Send what is left.
    int finish(shellgen_error &error)
    {
        for (const auto &one : sinks_)
            if (one.second->finish(error))
                return -1;
        return 0;
    }

private:
    using Streams = std::map<uint32_t, const shellgen_stream *>;

    bool agrees(const Streams &missing, shellgen_error &error) const
    {
        std::string names;
        for (const auto &one : missing)
            names += (names.empty() ? "" : ", ") + std::string(one.second->port) + " (" + one.second->name + ")";
        if (!missing.empty() && others_.listen.empty())
            return shellgen_fail(&error, "nothing feeds %s: give --input or --listen", names.c_str()) == 0;
        if (missing.empty() && !others_.listen.empty())
            return shellgen_fail(&error, "--listen %s: no stream of node %s is left for it", printable(others_.listen).c_str(),
                                 node_.name) == 0;
        return true;
    }

    // How many frames files have, which say what this board tells the next.
    bool read_files(shellgen_error &error)
    {
        for (const auto &one : enter_) {
            shellgen_npy npy = {};
            if (!files_.input[one.first])
                continue;
            const int result = shellgen_read_npy(&npy, files_.input[one.first], one.second->elements, &error);
            free(npy.data);
            if (result)
                return false;
            told_[one.first] = job_.frames ? shellgen_share(&node_, &job_.absent, one.first, job_.frames) : npy.frames;
            if (npy.frames < told_[one.first])
                return shellgen_fail(&error, "%s: it has %" PRIu64 " frames, and %" PRIu64 " are asked for",
                                     files_.input[one.first], npy.frames, told_[one.first]) == 0;
        }
        return true;
    }

    bool plan_sinks(shellgen_error &error)
    {
        for (const std::string &text : others_.connect) {
            const size_t equals = text.find('=');
            const std::string name = text.substr(0, equals == std::string::npos ? 0 : equals);
            auto found = std::find_if(leave_.begin(), leave_.end(), [&](const auto &one) {
                return equals != std::string::npos && (name == one.second->port || name == one.second->name);
            });
            const bool named = found != leave_.end();
            if (!named && leave_.size() == 1)
                found = leave_.begin();
            if (found == leave_.end()) {
                std::string known;
                for (const auto &one : leave_)
                    known += (known.empty() ? "" : ", ") + std::string(one.second->port);
                return shellgen_fail(&error, "--connect %s: give it as STREAM=VALUE; streams are %s", printable(text).c_str(),
                                     known.c_str()) == 0;
            }
            if (planned_.count(found->first))
                return shellgen_fail(&error, "--connect %s: stream %s has one already", printable(text).c_str(),
                                     named ? name.c_str() : found->second->port) == 0;
            if (files_.output[found->first] || files_.golden[found->first])
                return shellgen_fail(&error, "stream %s: --connect sends it away; let the next board write or compare",
                                     found->second->port) == 0;
            if (!read_address(named ? text.substr(equals + 1) : text, nullptr, planned_[found->first], error))
                return false;
        }
        return true;
    }

    // The frames of the node, by those of streams that enter, or 0 if these do not say it yet.
    uint64_t frames()
    {
        auto told = told_;
        for (const auto &one : sources_)
            told[one.first] = one.second->end().frames;
        uint32_t bit = 0;
        for (const auto &one : told)
            if (!shellgen_shared(&node_, one.first, &bit))
                return one.second;
        for (uint32_t index = 0; index < node_.turns; index++) {
            const shellgen_turns &turns = node_.turn[index];
            uint64_t sum = 0;
            bool all = strcmp(turns.kind, "gather") == 0;
            for (bit = 0; bit < turns.nodes && all; bit++) {
                const bool away = shellgen_away(&node_, &job_.absent, turns.stream[bit]);
                all = away || told.count(turns.stream[bit]);
                sum += all && !away ? told[turns.stream[bit]] : 0;
            }
            if (all)
                return sum;
        }
        return job_.frames;
    }

    bool open_sinks(shellgen_error &error)
    {
        if (begun_ || !(begun_ = frames()))
            return true;
        for (const auto &one : leave_) {
            const uint64_t share = shellgen_share(&node_, &job_.absent, one.first, begun_);
            if (!share)
                return shellgen_fail(&error, "stream %s: too few frames for all replicas, %" PRIu64 "; give more, or --absent",
                                     one.second->name, begun_) == 0;
            const auto at = planned_.find(one.first);
            if (at == planned_.end())
                continue;
            Socket peer = connect_to(at->second, *one.second, share, others_.wait, error);
            if (!peer)
                return false;
            sinks_[one.first] = std::make_unique<SocketSink>(std::move(peer), printable(at->second.shown()), *one.second);
        }
        return true;
    }

    // All are there: they must have as many frames as were announced, or their share.
    bool settle(shellgen_error &error)
    {
        const uint64_t all = frames();
        if (!all)
            return shellgen_fail(&error, "no stream of the host enters node %s: give --frames, how many come", node_.name) == 0;
        if (all != begun_)
            return shellgen_fail(&error, "%" PRIu64 " frames come, and %" PRIu64 " were announced by who has gone since", all,
                                 begun_) == 0;
        for (const auto &one : sources_)
            told_[one.first] = one.second->end().frames;
        for (const auto &one : told_) {
            const uint64_t share = shellgen_share(&node_, &job_.absent, one.first, all);
            uint32_t bit = 0;
            if (one.second == share)
                continue;
            if (shellgen_shared(&node_, one.first, &bit))
                return shellgen_fail(&error, "stream %s: %" PRIu64 " frames come, and of the %" PRIu64 " of node %s it has %" PRIu64
                                     "; begin with all boards at once", enter_[one.first]->name, one.second, all, node_.name,
                                     share) == 0;
            return shellgen_fail(&error, "%s: the inputs have different numbers of frames: [%" PRIu64 ", %" PRIu64 "]",
                                 node_.name, std::min(all, one.second), std::max(all, one.second)) == 0;
        }
        job_.frames = all;
        for (const auto &one : sources_)
            job_.end[one.first] = &one.second->end();
        for (const auto &one : sinks_)
            job_.end[one.first] = &one.second->end();
        return true;
    }

    const Others &others_;
    shellgen_job &job_;
    const shellgen_files &files_;
    const shellgen_node &node_ = SHELLGEN_NODE;
    Streams enter_, leave_;
    std::map<uint32_t, uint64_t> told_; // frames by stream
    std::map<uint32_t, Address> planned_;
    Sources sources_;
    std::map<uint32_t, std::unique_ptr<SocketSink>> sinks_;
    uint64_t begun_ = 0; // frames that the next boards were told of
};

} // namespace

#endif
