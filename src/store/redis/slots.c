#include "store/redis/slots.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CRC16/XMODEM, as the cluster has it. */
unsigned rv_rd_slot_of(const char *tag, size_t size) {
    uint16_t crc = 0;
    for (size_t i = 0; i < size; i++) {
        crc = (uint16_t)(crc ^ (uint16_t)((unsigned char)tag[i] << 8));
        for (int bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1);
    }
    return crc % RV_RD_SLOTS;
}

/* ---- addresses ---- */
/* Of a node that is not known well enough to be talked to, there is none. */
static bool set_address(struct rv_rd_address *out, const char *host, size_t host_size,
                        long long port) {
    bool unknown = host_size == 1 && *host == '?';
    if (unknown || host_size >= sizeof out->host || memchr(host, '\0', host_size)) return false;
    if (port <= 0 || port > UINT16_MAX) return false;
    memcpy(out->host, host, host_size);
    out->host[host_size] = '\0';
    (void)snprintf(out->port, sizeof out->port, "%lld", port);
    return true;
}

static bool parse_number(const char *text, char end, long long most, long long *out) {
    char *stop;
    if (*text < '0' || *text > '9') return false;
    *out = strtoll(text, &stop, 10);
    return *stop == end && *out <= most;
}

/* ---- redirections ---- */
bool rv_rd_is_asking(const char *text) {
    return strncmp(text, "ASK ", 4) == 0;
}

bool rv_rd_redirect_parse(const char *text, unsigned *slot, struct rv_rd_address *to) {
    if (!rv_rd_is_asking(text) && strncmp(text, "MOVED ", 6) != 0) return false;
    const char *number = strchr(text, ' ') + 1;
    const char *host = strchr(number, ' ');
    const char *colon = host ? strrchr(host, ':') : NULL; /* the last: an address may hold some */
    long long at, port;
    if (!colon || !parse_number(number, ' ', RV_RD_SLOTS - 1, &at)) return false;
    if (!parse_number(colon + 1, '\0', UINT16_MAX, &port)) return false;
    host++;
    *slot = (unsigned)at;
    return set_address(to, host, (size_t)(colon - host), port);
}

/* ---- the map ---- */
/* { host, port, ... }; no host: the one that answers does not know its own. */
static bool parse_node(const redisReply *node, struct rv_rd_address *out) {
    if (node->type != REDIS_REPLY_ARRAY || node->elements < 2) return false;
    const redisReply *host = node->element[0], *port = node->element[1];
    if (port->type != REDIS_REPLY_INTEGER) return false;
    if (host->type == REDIS_REPLY_NIL) return set_address(out, "", 0, port->integer);
    if (host->type != REDIS_REPLY_STRING) return false;
    return set_address(out, host->str, host->len, port->integer);
}

bool rv_rd_range_parse(const redisReply *answer, size_t i, struct rv_rd_range *out) {
    const redisReply *range = answer->element[i];
    if (range->type != REDIS_REPLY_ARRAY || range->elements < 3) return false;
    const redisReply *first = range->element[0], *last = range->element[1];
    if (first->type != REDIS_REPLY_INTEGER || last->type != REDIS_REPLY_INTEGER) return false;
    if (first->integer < 0 || last->integer < first->integer || last->integer >= RV_RD_SLOTS)
        return false;
    out->first = (unsigned)first->integer;
    out->last = (unsigned)last->integer;
    out->replicas = range->elements - 3;
    return parse_node(range->element[2], &out->primary);
}

bool rv_rd_range_replica(const redisReply *answer, size_t i, size_t j, struct rv_rd_address *out) {
    return parse_node(answer->element[i]->element[3 + j], out);
}
