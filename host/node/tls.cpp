// SPDX-License-Identifier: BSD-3-Clause
#include "tls.h"

#include <openssl/x509v3.h>

#include "settings.h"

namespace shellgen {
namespace {

constexpr const char *kOperator = "operator.control.shellgen";  // a name of its certificate

}  // namespace

Keys::Keys(const std::string &folder) {
    load(server_, folder);
    load(client_, folder);
}

void Keys::load(asio::ssl::context &context, const std::string &folder) {
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_3_VERSION);
    // A connection is verified each time; nothing is resumed.
    SSL_CTX_set_session_cache_mode(context.native_handle(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context.native_handle(), SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context.native_handle(), 0);
    context.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
    const auto use = [&](const char *name, auto &&call) {
        const auto path = folder + "/" + name;
        asio::error_code error;
        call(path, error);
        if (error)
            throw InputError("--keys: " + path + ": " + error.message() + "; copy this node's folder that shellgen host keys made");
    };
    use("ca.pem", [&](const std::string &path, asio::error_code &error) { context.load_verify_file(path, error); });
    use("cert.pem", [&](const std::string &path, asio::error_code &error) {
        context.use_certificate_file(path, asio::ssl::context::pem, error);
    });
    use("key.pem", [&](const std::string &path, asio::error_code &error) {
        context.use_private_key_file(path, asio::ssl::context::pem, error);
    });
    if (SSL_CTX_check_private_key(context.native_handle()) != 1)
        throw InputError("--keys: " + folder + "/key.pem: it is not the key of cert.pem; copy both from the same folder");
}

bool is_operator(SSL *connection) {
    X509 *certificate = SSL_get1_peer_certificate(connection);
    if (!certificate) return false;
    const bool found = X509_check_host(certificate, kOperator, 0, X509_CHECK_FLAG_NO_WILDCARDS, nullptr) == 1;
    X509_free(certificate);
    return found;
}

}  // namespace shellgen
