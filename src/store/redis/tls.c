#include "store/redis/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

struct rv_rd_tls {
    SSL_CTX *context;
    BIO_METHOD *socket;
    const char *name; /* of all servers; NULL: each has that of its host */
};

/* ---- the socket below ---- OpenSSL's own raises SIGPIPE, which ends a program ---- */
static int fd_of(BIO *bio) {
    return *(const int *)BIO_get_data(bio);
}

static int after(BIO *bio, ssize_t size, int retry) {
    BIO_clear_retry_flags(bio);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
    return (int)size;
}

static int socket_write(BIO *bio, const char *from, int size) {
    ssize_t sent = send(fd_of(bio), from, (size_t)size, MSG_NOSIGNAL);
    return after(bio, sent, BIO_FLAGS_WRITE);
}

static int socket_read(BIO *bio, char *to, int size) {
    return after(bio, recv(fd_of(bio), to, (size_t)size, 0), BIO_FLAGS_READ);
}

static long socket_control(BIO *bio, int command, long number, void *data) {
    (void)bio;
    (void)number;
    (void)data;
    return command == BIO_CTRL_FLUSH; /* nothing is held back */
}

static BIO_METHOD *make_socket_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "reeve socket");
    if (!method) return NULL;
    (void)BIO_meth_set_write(method, socket_write);
    (void)BIO_meth_set_read(method, socket_read);
    (void)BIO_meth_set_ctrl(method, socket_control);
    return method;
}

/* ---- whom to believe, and who we are ---- */
static int fail_file(const char *what, const char *file, struct rv_error *err) {
    const char *reason = access(file, R_OK) ? strerror(errno) : NULL;
    if (!reason) reason = ERR_reason_error_string(ERR_peek_last_error());
    return rv_fail(err, REEVE_EINVAL, "TLS: cannot use %s %s: %s", what, file,
                   reason ? reason : "it does not hold what it should");
}

/* Called if the server asks for a certificate that we do not have. */
static int note_asked(SSL *ssl, X509 **cert, EVP_PKEY **key) {
    static char asked;
    (void)cert;
    (void)key;
    (void)SSL_set_app_data(ssl, &asked);
    return 0;
}

bool rv_rd_tls_lacks_certificate(const struct ssl_st *ssl) {
    return SSL_get_app_data(ssl) != NULL;
}

static int load_files(SSL_CTX *context, const struct rv_rd_tls_options *options,
                      struct rv_error *err) {
    if (options->ca && SSL_CTX_load_verify_locations(context, options->ca, NULL) != 1)
        return fail_file("the CA", options->ca, err);
    if (!options->ca) (void)SSL_CTX_set_default_verify_paths(context);
    if (!options->cert) {
        SSL_CTX_set_client_cert_cb(context, note_asked);
        return 0;
    }
    if (SSL_CTX_use_certificate_chain_file(context, options->cert) != 1)
        return fail_file("the certificate", options->cert, err);
    if (SSL_CTX_use_PrivateKey_file(context, options->key, SSL_FILETYPE_PEM) != 1)
        return fail_file("the key", options->key, err);
    return 0;
}

static int fill(struct rv_rd_tls *tls, const struct rv_rd_tls_options *options,
                struct rv_error *err) {
    tls->context = SSL_CTX_new(TLS_client_method());
    tls->socket = make_socket_method();
    if (!tls->context || !tls->socket) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    (void)SSL_CTX_set_min_proto_version(tls->context, TLS1_2_VERSION);
    (void)SSL_CTX_set_mode(tls->context,
                           SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_verify(tls->context, options->believe_any ? SSL_VERIFY_NONE : SSL_VERIFY_PEER,
                       NULL);
    return load_files(tls->context, options, err);
}

int rv_rd_tls_create(const struct rv_rd_tls_options *options, struct rv_rd_tls **out,
                     struct rv_error *err) {
    struct rv_rd_tls *tls = calloc(1, sizeof *tls);
    if (!tls) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    tls->name = options->server_name;
    ERR_clear_error();
    int rc = fill(tls, options, err);
    if (rc) {
        rv_rd_tls_destroy(tls);
        return rc;
    }
    *out = tls;
    return 0;
}

void rv_rd_tls_destroy(struct rv_rd_tls *tls) {
    if (!tls) return;
    SSL_CTX_free(tls->context);
    BIO_meth_free(tls->socket);
    free(tls);
}

/* ---- a session ---- */
/* With SSL_VERIFY_NONE the name is looked at too, and nobody asks what came of it. */
static bool set_name(SSL *ssl, const char *name) {
    unsigned char address[sizeof(struct in6_addr)];
    if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
    return SSL_set_tlsext_host_name(ssl, name) == 1 && SSL_set1_host(ssl, name) == 1;
}

int rv_rd_tls_session(const struct rv_rd_tls *tls, const char *host, int *fd, struct ssl_st **out,
                      struct rv_error *err) {
    SSL *ssl = SSL_new(tls->context);
    BIO *bio = ssl ? BIO_new(tls->socket) : NULL;
    if (!bio || !set_name(ssl, tls->name ? tls->name : host)) {
        BIO_free(bio);
        SSL_free(ssl);
        return rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    BIO_set_data(bio, fd);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_connect_state(ssl);
    *out = ssl;
    return 0;
}
