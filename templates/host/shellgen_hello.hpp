// SPDX-License-Identifier: BSD-3-Clause
// The lines of text with which a connection between two programs begins; shellgen_link.py has the same. Who sends says in
// a line of JSON which stream, how it is packed and how many frames; who receives answers with a line, empty if that is
// right. C++17.
#ifndef SHELLGEN_HELLO_HPP
#define SHELLGEN_HELLO_HPP

#include "shellgen_host.h"

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>

namespace {

constexpr size_t LINE = 4096; // bytes of a line at most
constexpr uint64_t MOST_FRAMES = UINT32_MAX; // as the core counts them

// The line of a sender; numbers as they were written, since they may be of any size.
struct Hello {
    std::string stream, contract, frames, frame_bytes;
};

// What is no such line.
struct NoHello : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Reads one JSON value of a line; what a hello has no use for is checked and dropped.
class Json {
public:
    explicit Json(const std::string &text) : text_(text) {}

    // The fields of an object that are strings or whole numbers, numbers without quotes as `number` says.
    struct Field {
        std::string text;
        bool number;
    };

    std::map<std::string, Field> object()
    {
        std::map<std::string, Field> found;
        space();
        if (peek() != '{')
            throw NoHello("no object");
        members(&found);
        end();
        return found;
    }

    std::string string()
    {
        space();
        const std::string found = quoted();
        end();
        return found;
    }

private:
    [[noreturn]] static void fail() { throw NoHello("it sends no JSON"); }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void space()
    {
        while (at_ < text_.size() && strchr(" \t\r\n", text_[at_]))
            at_++;
    }

    void take(char wanted)
    {
        space();
        if (at_ >= text_.size() || text_[at_] != wanted)
            fail();
        at_++;
    }

    bool took(char wanted)
    {
        space();
        const bool found = at_ < text_.size() && text_[at_] == wanted;
        at_ += found;
        return found;
    }

    void end()
    {
        space();
        if (at_ != text_.size())
            fail();
    }

    void members(std::map<std::string, Field> *found)
    {
        take('{');
        if (took('}'))
            return;
        do {
            space();
            const std::string name = quoted();
            take(':');
            space();
            const size_t begin = at_;
            const bool text = peek() == '"';
            const std::string value = text ? quoted() : (skip(), text_.substr(begin, at_ - begin));
            if (!found)
                continue;
            found->erase(name); // the last of a name counts
            if (text || whole(value))
                found->emplace(name, Field{value == "-0" && !text ? "0" : value, !text});
        } while (took(','));
        take('}');
    }

    static bool whole(const std::string &text)
    {
        return (isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-') &&
               text.find_first_of(".eEIN") == std::string::npos;
    }

    // As long as a line may be, so that what is nested deep ends here and not at the end of the stack.
    void skip()
    {
        if (peek() == '"') {
            quoted();
        } else if (peek() == '{') {
            deeper();
            members(nullptr);
            depth_--;
        } else if (took('[')) {
            deeper();
            if (!took(']')) {
                do {
                    space();
                    skip();
                } while (took(','));
                take(']');
            }
            depth_--;
        } else if (!word()) {
            digits();
        }
    }

    void deeper()
    {
        if (++depth_ > 512)
            throw NoHello("it is nested too deep");
    }

    bool word()
    {
        for (const char *name : {"true", "false", "null"})
            if (text_.compare(at_, strlen(name), name) == 0) {
                at_ += strlen(name);
                return true;
            }
        return false;
    }

    void some()
    {
        if (!isdigit(static_cast<unsigned char>(peek())))
            fail();
        while (isdigit(static_cast<unsigned char>(peek())))
            at_++;
    }

    void digits()
    {
        at_ += peek() == '-';
        if (peek() == '0')
            at_++;
        else
            some();
        if (peek() == '.') {
            at_++;
            some();
        }
        if (peek() == 'e' || peek() == 'E') {
            at_++;
            at_ += peek() == '+' || peek() == '-';
            some();
        }
    }

    unsigned unit()
    {
        unsigned found = 0;
        for (int digit = 0; digit < 4; digit++, at_++) {
            const char one = peek();
            if (!isxdigit(static_cast<unsigned char>(one)))
                fail();
            found = found << 4 | static_cast<unsigned>(isdigit(static_cast<unsigned char>(one)) ? one - '0' : (one | 32) - 'a' + 10);
        }
        return found;
    }

    std::string escape()
    {
        static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
        const char one = peek();
        at_++;
        if (one == 'u') {
            unsigned code = unit();
            if (code >> 10 == 0x36 && text_.compare(at_, 2, "\\u") == 0) { // the first half of a pair
                const size_t back = at_;
                at_ += 2;
                const unsigned low = unit();
                if (low >> 10 == 0x37)
                    code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
                else
                    at_ = back;
            }
            return utf8(code);
        }
        const char *found = one ? strchr(names, one) : nullptr;
        if (!found)
            fail();
        return std::string(1, values[found - names]);
    }

    static std::string utf8(unsigned code)
    {
        std::string made;
        const auto more = [&](unsigned shift) { made += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
        if (code < 0x80) {
            made += static_cast<char>(code);
        } else if (code < 0x800) {
            made += static_cast<char>(0xc0 | code >> 6);
            more(0);
        } else if (code < 0x10000) {
            made += static_cast<char>(0xe0 | code >> 12);
            more(6), more(0);
        } else {
            made += static_cast<char>(0xf0 | code >> 18);
            more(12), more(6), more(0);
        }
        return made;
    }

    std::string quoted()
    {
        std::string found;
        if (peek() != '"')
            fail();
        for (at_++; peek() != '"';) {
            if (static_cast<unsigned char>(peek()) < ' ')
                fail(); // also where the text ends
            if (peek() == '\\') {
                at_++;
                found += escape();
            } else {
                found += text_[at_++];
            }
        }
        at_++;
        return found;
    }

    const std::string &text_;
    size_t at_ = 0;
    int depth_ = 0;
};

// Take one code of UTF-8 from a text: how many bytes it has, 0 if it is none.
size_t code_of(const std::string &text, size_t at, unsigned &code)
{
    const auto first = static_cast<unsigned char>(text[at]);
    const size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!length || at + length > text.size())
        return 0;
    code = length == 1 ? first : first & (0x7fu >> length);
    for (size_t byte = 1; byte < length; byte++) {
        const auto next = static_cast<unsigned char>(text[at + byte]);
        if (next >> 6 != 2)
            return 0;
        code = code << 6 | (next & 0x3f);
    }
    return code >= least[length] && code < 0x110000 ? length : 0;
}

// A text of somebody else in a message: without what a terminal would act on, and shortened.
std::string printable(const std::string &text, size_t most = 200)
{
    std::string shown;
    size_t count = 0, length = 1;
    for (size_t at = 0; at < text.size(); at += length, count++) {
        unsigned code = 0;
        char escaped[16];
        length = code_of(text, at, code);
        if (count == most)
            return shown + "...";
        if (!length) {
            length = 1;
            code = static_cast<unsigned char>(text[at]);
        }
        const char *names = "\tt\nn\rr";
        const char *named = code < 0x80 && code ? strchr(names, static_cast<int>(code)) : nullptr;
        if (code >= ' ' && code < 0x7f)
            shown += static_cast<char>(code);
        else if (named && (named - names) % 2 == 0)
            shown += std::string("\\") + named[1];
        else {
            snprintf(escaped, sizeof escaped, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
            shown += escaped;
        }
    }
    return shown;
}

// The same in quotes, as Python shows it.
std::string shown_in_quotes(const std::string &text, size_t most)
{
    std::string kept;
    size_t count = 0, length = 1;
    for (size_t at = 0; at < text.size() && count < most; at += length, count++) {
        unsigned code = 0;
        length = code_of(text, at, code);
        length = length ? length : 1;
        kept += text[at] == '\\' ? "\\" : "";
        kept += text.substr(at, length);
    }
    const bool single = kept.find('\'') != std::string::npos, both = single && kept.find('"') != std::string::npos;
    std::string made;
    for (const char one : kept)
        made += both && one == '\'' ? "\\'" : std::string(1, one);
    // A backslash of its own is doubled already, and is not one that a terminal would act on.
    const char *quote = single && !both ? "\"" : "'";
    return quote + printable(made, SIZE_MAX) + quote;
}

// A text as JSON has it, in ASCII.
std::string json_string(const std::string &text)
{
    std::string made = "\"";
    size_t length = 1;
    for (size_t at = 0; at < text.size(); at += length) {
        unsigned code = 0;
        char escaped[16];
        length = code_of(text, at, code);
        if (!length) {
            length = 1;
            code = static_cast<unsigned char>(text[at]);
        }
        if (code == '"' || code == '\\')
            made += std::string("\\") + static_cast<char>(code);
        else if (code >= ' ' && code < 0x7f)
            made += static_cast<char>(code);
        else if (code < 0x10000)
            snprintf(escaped, sizeof escaped, "\\u%04x", code), made += escaped;
        else
            snprintf(escaped, sizeof escaped, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff)),
                made += escaped;
    }
    return made + "\"";
}

bool is_utf8(const std::string &text)
{
    size_t length = 1;
    for (size_t at = 0; at < text.size(); at += length) {
        unsigned code = 0;
        length = code_of(text, at, code);
        if (!length || code >> 11 == 0x1b) // no halves of pairs
            return false;
    }
    return true;
}

// Read the line of a sender, or say what is wrong with it.
Hello read_hello(const std::string &line)
{
    if (!is_utf8(line))
        throw NoHello("it sends no UTF-8");
    const auto found = Json(line).object();
    const auto field = [&](const char *name, bool number) {
        const auto at = found.find(name);
        if (at == found.end() || at->second.number != number)
            throw NoHello("a field is missing, or of another kind");
        return at->second.text;
    };
    return {field("stream", false), field("contract", false), field("frames", true), field("frame_bytes", true)};
}

std::string make_hello(const shellgen_stream &stream, uint64_t frames)
{
    return "{\"contract\": " + json_string(stream.contract) + ", \"stream\": " + json_string(stream.name) +
           ", \"frames\": " + std::to_string(frames) + ", \"frame_bytes\": " + std::to_string(stream.frame_bytes) + "}\n";
}

} // namespace

#endif
