// SPDX-License-Identifier: BSD-3-Clause
// The certificates of a cluster, as `shellgen host keys` makes them: TLS 1.3 with a certificate on both sides.
#pragma once

#include <asio.hpp>
#include <asio/ssl.hpp>
#include <string>

namespace shellgen {

class Keys {
public:
    // Reads ca.pem, cert.pem and key.pem. Throws InputError if one is missing or not what it must be.
    explicit Keys(const std::string &folder);

    asio::ssl::context &server() { return server_; }
    asio::ssl::context &client() { return client_; }

private:
    void load(asio::ssl::context &context, const std::string &folder);

    asio::ssl::context server_{asio::ssl::context::tls_server}, client_{asio::ssl::context::tls_client};
};

// Whether the certificate of the other side is that of the operator.
bool is_operator(SSL *connection);

}  // namespace shellgen
