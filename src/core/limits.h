/* Every bound of the project, with its reason. What the public header promises stands there. */
#ifndef RV_CORE_LIMITS_H
#define RV_CORE_LIMITS_H

#include <stdint.h>

#include <reeve.h>

enum {
    RV_NAME_MAX =
        REEVE_NAME_SIZE - 1,       /* fits key names and file systems' 255 with room for a prefix */
    RV_ID_MAX = REEVE_ID_SIZE - 1, /* a UUID, a URL's hash or a business key, not a document */
    RV_BODY_MAX = REEVE_BODY_MAX,  /* a claim of 256 such jobs still fits a server's memory; larger
                                    * data  belongs into a blob store, its name into the body */

    RV_PARCEL_MAX = 4096, /* what a spooled push has besides its body: names, numbers, its store */

    RV_ERROR_CODE_MAX = 64,         /* a word for programs */
    RV_ERROR_MESSAGE_MAX = 4096,    /* the tail of a program's stderr: some screens of text */
    RV_ERROR_DETAIL_MAX = 64 << 10, /* a stack trace */
    RV_HISTORY_MAX = 32,            /* attempts remembered; each costs a rewrite of all of them */
    RV_HISTORY_MESSAGE_MAX =
        512,                  /* of the error text of each: the record's own error has it whole */
    RV_LOG_LINE_MAX = 1000,   /* of what a handler tells: a line, not a file */
    RV_LOG_LINES_MAX = 100,   /* remembered per job */
    RV_WORKER_NAME_MAX = 255, /* host name and pid */

    /* J11: how much one step may do. Sized so that no step holds a store for more than some ms. */
    RV_CLAIM_MAX = 256,     /* jobs of one claim, and outcomes of one hand-in */
    RV_PUSH_MAX = 1000,     /* jobs of one push: where raw SQLite inserts stop getting faster */
    RV_RENEW_MAX = 200,     /* claims of one renewal: 0.5 ms of a Redis server */
    RV_PROMOTE_MAX = 100,   /* due jobs made ready by one step */
    RV_TEND_MAX = 200,      /* records expired by one step */
    RV_LIST_MAX = 1000,     /* records of one page */
    RV_EVENTS_MAX = 256,    /* events of one page */
    RV_EVENTS_KEPT = 10000, /* events a queue remembers while it is watched */

    RV_GRANT_PRUNE_MAX = 100, /* dead tickets, or names long free, that one step forgets */

    RV_SCAN_MAX = 100, /* ownerships that one step recovers, or looks at for nothing times ten */

    RV_STREAM_INFO_MAX = 64 << 10, /* what to connect to, not the data; 256 of them are one reply */
    RV_STREAM_REASON_MAX = 512,    /* of a dead letter: a line */
    RV_LETTER_ID_MAX = 63,         /* a number, or what a Redis stream gives */
    RV_MEMBERS_MAX = 1000,         /* of a group that are listed */

    RV_ATTEMPTS_MAX = 1000000, /* practically for ever, yet a number */
    RV_THREADS_MAX = 1024,     /* handler threads of one worker */
    RV_PREFETCH_MAX = 10000,
    RV_WEIGHT_MAX = 100,
    RV_QUEUES_MAX = 256,   /* queues that one worker serves */
    RV_LOCKS_MAX = 64,     /* names of one lock */
    RV_MEMBER_MAX = 10000, /* streams that one member owns: 50 calls a renewal */
    RV_WARDS_MAX = 32768,  /* programs beside one handle: of three members that are full */
    RV_SHARDS_MAX = REEVE_SHARDS_MAX, /* the lower six bits of a token name its shard */
};

#define RV_PUSH_BYTES_MAX ((size_t)16 << 20) /* bodies of one push step: bounds the transaction */
#define RV_TAKE_BYTES_MAX ((size_t)64 << 20) /* a claim or page that has so much ends: a reply */
#define RV_HISTORY_BYTES_MAX ((size_t)64 << 10)
#define RV_YEAR_MS (INT64_C(365) * 24 * 3600 * 1000)
#define RV_DELAY_MS_MAX (10 * RV_YEAR_MS)         /* any later is a typing error */
#define RV_RUN_AT_MS_MAX INT64_C(253402300799999) /* year 9999: what RFC 3339 can say */
#define RV_KEEP_MS_MAX (10 * RV_YEAR_MS)
#define RV_TIMEOUT_MS_MAX RV_YEAR_MS
#define RV_LEASE_MS_MIN INT64_C(100) /* below, a busy machine alone makes leases lapse */
#define RV_LEASE_MS_MAX \
    (24 * 3600 * INT64_C(1000)) /* a dead worker's job must come back within a day */
#define RV_QUEUE_LENGTH_MAX INT64_C(1000000000) /* of a bound: as good as none */
#define RV_GRACE_MS_MAX (24 * 3600 * INT64_C(1000))

/* Defaults that the public header names. */
#define RV_LEASE_MS_DEFAULT INT64_C(30000)
#define RV_LEADER_RETRY_MS_DEFAULT INT64_C(5000)
#define RV_MEMBER_MAX_DEFAULT 100
#define RV_MEMBER_RETRIES_DEFAULT 5
#define RV_DEAD_LETTERS_DEFAULT 10000
#define RV_SCAN_MS_DEFAULT INT64_C(5000)
#define RV_GRACE_MS_DEFAULT INT64_C(25000)
#define RV_CALL_MS_DEFAULT INT64_C(5000)
#define RV_BACKOFF_MS_DEFAULT INT64_C(1000)
#define RV_BACKOFF_MS_MAX_DEFAULT INT64_C(3600000)
#define RV_KEEP_MS_DEFAULT INT64_C(3600000)
#define RV_ATTEMPTS_DEFAULT 3
#define RV_STATS_MS_DEFAULT INT64_C(10000)
#define RV_SPOOL_MAX_DEFAULT INT64_C(100000)
#define RV_RESULT_MAX_DEFAULT ((size_t)1 << 20)

#define RV_LANE_KEPT_MS \
    INT64_C(3600000) /* a lane silent for so long is forgotten: 10 x any retry budget */
#define RV_GRANT_KEPT_MS \
    (24 * 3600 * INT64_C(1000)) /* a name that has been free for so long is forgotten */
#define RV_WATCHED_MS \
    INT64_C(30000) /* a queue writes events for so long after it was last asked for them */
#define RV_EVENT_KEPT_MS INT64_C(60000)
#define RV_WORKER_BEAT_MS INT64_C(30000) /* the one write of an idle worker */
#define RV_WORKER_SEEN_MS INT64_C(95000) /* three beats and a bit */

#endif
