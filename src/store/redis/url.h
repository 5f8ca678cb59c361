/* What the urls of this store say:
 *
 *   redis://[[USER]:PASSWORD@]HOST[:PORT][/DB][?OPTIONS]
 *   rediss://...  the same, by TLS
 *   redis+unix://[[USER]:PASSWORD@]/PATH[?OPTIONS]
 *   redis+sentinel://[[USER]:PASSWORD@]HOST[:PORT],HOST.../NAME[/DB][?OPTIONS]  whoever the
 *       Sentinels at these addresses say is the primary NAME
 *   redis+cluster://[[USER]:PASSWORD@]HOST[:PORT],HOST...[?OPTIONS]  a cluster: some of its nodes
 *   rediss+sentinel:, rediss+cluster:  the same, by TLS
 *   redis:[?OPTIONS]  with HOST, PORT, USERNAME, PASSWORD and PREFIX from the environment:
 *       REEVE_REDIS_HOST, or else REDIS_HOST, and so on; with SENTINEL_HOST, SENTINEL_PORT and
 *       SENTINEL_NAME by Sentinels, whatever HOST says
 *
 * OPTIONS  prefix=NAME      what all keys begin with; "rv"
 *          db=N             for unix sockets, which have no /DB
 *          records_per_key=N  how many records of a queue lie in one key before others are used: a
 *                           power of two up to 131072, which it is by default
 *          shards=N         queues that are made by this handle are split over so many shards
 *          wait=N wait_timeout=D  a push and a hand-in are only sure when N replicas have them, for
 *                           which they wait as long as D says: 200ms, 2s; 1s
 *          eviction=allow   also on a server that may throw jobs away when its memory is full
 *          ca=FILE          TLS: who may vouch for the server, instead of whom the system trusts
 *          cert=FILE key=FILE  TLS: this client's own certificate
 *          server_name=NAME TLS: the name to ask for and to verify, if it is not HOST
 *          verify=none      TLS: believe any server; logged as a warning
 *          sentinel_user=NAME sentinel_password=WORD  towards the Sentinels; none without
 *          sentinel_tls=no  with rediss+sentinel: TLS only towards the servers
 *
 * Parts that hold a reserved character are percent-encoded. */
#ifndef RV_STORE_REDIS_URL_H
#define RV_STORE_REDIS_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "store/redis/target.h"
#include "store/redis/tls.h"

enum {
    RV_RD_PREFIX_MAX = 64,
    RV_RD_HOSTS_MAX = 32,
    RV_RD_FIRST_LOG2 = 17,
    RV_RD_REPLICAS_MAX = 100
};
enum rv_rd_shape { RV_RD_ONE, RV_RD_SENTINEL, RV_RD_CLUSTER };

struct rv_rd_host {
    const char *host, *port;
};

struct rv_rd_url {
    char *text; /* all strings below are pieces of it, of the environment, or literals */
    char *shown, *host_text;
    enum rv_rd_shape shape;
    struct rv_rd_target target; /* without its tls; of other shapes than one without its host */
    struct rv_rd_host hosts[RV_RD_HOSTS_MAX]; /* Sentinels, or nodes of a cluster */
    size_t host_count;
    const char *primary; /* what the Sentinels call it */
    const char *sentinel_user, *sentinel_password;
    bool sentinel_plain; /* no TLS towards them */
    bool by_tls;
    struct rv_rd_tls_options tls;
    const char *prefix; /* [A-Za-z0-9_.:-]{1,RV_RD_PREFIX_MAX} */
    bool is_vague;      /* some part may be a piece of a password */
    bool allow_eviction;
    unsigned first_log2; /* of records_per_key */
    unsigned shards;     /* of queues that nobody has made yet */
    unsigned wait_replicas;
    int64_t wait_ms;
};

/* Adds those that text names, by commas: HOST, HOST:PORT, [IPV6] or [IPV6]:PORT. port: where none
 * is said; NULL: as is usual. */
int rv_rd_url_add_hosts(struct rv_rd_url *url, const char *text, const char *port,
                        struct rv_error *err);
/* No error text shows a password. What is left of it on failure is released. */
int rv_rd_url_parse(const char *url, struct rv_rd_url *out, struct rv_error *err);
void rv_rd_url_release(struct rv_rd_url *url);

#endif
