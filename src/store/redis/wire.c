#include "store/redis/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/clock.h"
#include "store/redis/dial.h"
#include "store/redis/tls.h"

static long broken(struct rv_rd_wire *wire, const char *reason) {
    (void)snprintf(wire->reason, sizeof wire->reason, "%s", reason);
    return -1;
}

/* What came of a call on the socket itself. */
static long after_socket(struct rv_rd_wire *wire, ssize_t size) {
    if (size > 0) return (long)size;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return 0;
    return broken(wire, size < 0 ? strerror(errno) : "the server closed the connection");
}

/* ---- TLS ---- */
static const char *tls_reason(const struct rv_rd_wire *wire, int error, int system_error) {
    long verdict = SSL_get_verify_result(wire->ssl);
    unsigned long queued = ERR_peek_last_error();
    if (error == SSL_ERROR_SSL && verdict != X509_V_OK)
        return X509_verify_cert_error_string(verdict);
    if (error == SSL_ERROR_SSL && queued && ERR_reason_error_string(queued))
        return ERR_reason_error_string(queued);
    /* Its alert, by TLS 1.3 after the handshake, is often lost with the connection. */
    if (!wire->heard && rv_rd_tls_lacks_certificate(wire->ssl))
        return "the server hung up; it asks for a certificate: 'cert' and 'key' of the url";
    if (error == SSL_ERROR_SYSCALL && system_error) return strerror(system_error);
    return "the server closed the connection";
}

/* What came of a call that did not succeed: 0 if it can be tried again on *events. Either way of
 * the session may have to wait for the other way of the socket. */
static long after_tls(struct rv_rd_wire *wire, int result, short *events) {
    int system_error = errno;
    int error = SSL_get_error(wire->ssl, result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        *events = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
        return 0;
    }
    char reason[RV_RD_REASON_SIZE];
    (void)snprintf(reason, sizeof reason, "TLS: %s", tls_reason(wire, error, system_error));
    return broken(wire, reason);
}

static long read_tls(struct rv_rd_wire *wire, void *to, size_t size) {
    size_t count = 0;
    wire->read_events = POLLIN;
    ERR_clear_error();
    int result = SSL_read_ex(wire->ssl, to, size, &count);
    wire->heard |= result == 1;
    return result == 1 ? (long)count : after_tls(wire, result, &wire->read_events);
}

static long write_tls(struct rv_rd_wire *wire, const void *from, size_t size) {
    size_t count = 0;
    wire->write_events = POLLOUT;
    ERR_clear_error();
    int result = SSL_write_ex(wire->ssl, from, size, &count);
    return result == 1 ? (long)count : after_tls(wire, result, &wire->write_events);
}

static int shake_hands(struct rv_rd_wire *wire, const struct rv_rd_target *target,
                       int64_t deadline_ms, struct rv_error *err) {
    for (;;) {
        ERR_clear_error();
        int result = SSL_do_handshake(wire->ssl);
        if (result == 1) break;
        if (after_tls(wire, result, &wire->read_events) < 0) {
            rv_rd_target_greeted(target, SSL_get_verify_result(wire->ssl) != X509_V_OK);
            return rv_fail(err, REEVE_EUNREACHABLE, "%s: %s", target->shown, wire->reason);
        }
        if (!rv_rd_wire_await(wire, true, false, deadline_ms))
            return rv_fail(err, REEVE_EUNREACHABLE,
                           "%s: TLS: no answer in time; does it speak TLS there?", target->shown);
    }
    wire->read_events = POLLIN;
    return 0;
}

/* ---- either ---- */
long rv_rd_wire_read(struct rv_rd_wire *wire, void *to, size_t size) {
    if (wire->ssl) return read_tls(wire, to, size);
    return after_socket(wire, recv(wire->fd, to, size, MSG_DONTWAIT));
}

long rv_rd_wire_read_or_wait(struct rv_rd_wire *wire, void *to, size_t size) {
    return after_socket(wire, recv(wire->fd, to, size, 0));
}

bool rv_rd_wire_can_wait(const struct rv_rd_wire *wire, int64_t ms) {
    return wire->blocking && ms > RV_RD_READ_MS;
}

long rv_rd_wire_write(struct rv_rd_wire *wire, const void *from, size_t size) {
    if (wire->ssl) return write_tls(wire, from, size);
    return after_socket(wire, send(wire->fd, from, size, MSG_NOSIGNAL | MSG_DONTWAIT));
}

bool rv_rd_wire_poll(const struct rv_rd_wire *wire, bool to_read, bool to_write,
                     struct pollfd *out) {
    int events = (to_read ? wire->read_events : 0) | (to_write ? wire->write_events : 0);
    *out = (struct pollfd){.fd = wire->fd, .events = (short)events};
    return to_read && wire->ssl && SSL_pending(wire->ssl);
}

bool rv_rd_wire_await(const struct rv_rd_wire *wire, bool to_read, bool to_write,
                      int64_t deadline_ms) {
    struct pollfd ready;
    if (rv_rd_wire_poll(wire, to_read, to_write, &ready)) return true;
    for (;;) {
        int64_t left_ms = deadline_ms - rv_clock_boot_ms(&rv_clock_real);
        if (left_ms < 0) left_ms = 0;
        int count = poll(&ready, 1, left_ms > INT_MAX ? INT_MAX : (int)left_ms);
        if (count == 0 && left_ms > INT_MAX) continue;
        if (count >= 0 || errno != EINTR) return count != 0;
    }
}

bool rv_rd_wire_pass_over(const struct rv_rd_wire *wire, int bytes) {
    int least = bytes + 1;
    return !wire->ssl && !setsockopt(wire->fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
}

/* Reads of it may wait from now on, for RV_RD_READ_MS. If that cannot be, they do not. */
static void let_wait(struct rv_rd_wire *wire) {
    struct timeval most = {.tv_sec = RV_RD_READ_MS / 1000};
    int flags = fcntl(wire->fd, F_GETFL);
    if (flags < 0 || setsockopt(wire->fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most)) return;
    wire->blocking = !fcntl(wire->fd, F_SETFL, flags & ~O_NONBLOCK);
}

int rv_rd_wire_open(struct rv_rd_wire *wire, const struct rv_rd_target *target, int64_t deadline_ms,
                    struct rv_error *err) {
    *wire = (struct rv_rd_wire){.fd = -1, .read_events = POLLIN, .write_events = POLLOUT};
    int rc = rv_rd_dial(target, deadline_ms, &wire->fd, err);
    if (!rc && !target->tls) let_wait(wire);
    if (rc || !target->tls) return rc;
    rc = rv_rd_tls_session(target->tls, target->host, &wire->fd, &wire->ssl, err);
    return rc ? rc : shake_hands(wire, target, deadline_ms, err);
}

void rv_rd_wire_close(struct rv_rd_wire *wire) {
    if (wire->ssl && !wire->reason[0] && SSL_is_init_finished(wire->ssl))
        (void)SSL_shutdown(wire->ssl); /* a word of farewell; nobody waits for the answer */
    SSL_free(wire->ssl);
    wire->ssl = NULL;
    if (wire->fd >= 0) (void)close(wire->fd);
    wire->fd = -1;
}
