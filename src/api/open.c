#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "base/url.h"
#include "core/check.h"
#include "store/codec.h"
#include "store/late.h"
#include "store/spool.h"
#include "store/trace.h"

const char *reeve_version(void) {
    return REEVE_VERSION;
}

int reeve_version_number(void) {
    return REEVE_VERSION_NUMBER;
}

void reeve_free(void *record) {
    free(record);
}

static const char *set_env(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static int join(char **out, const char *scheme, const char *folder, const char *file,
                struct rv_error *err) {
    size_t size = strlen(scheme) + strlen(folder) + strlen(file) + 1;
    *out = malloc(size);
    if (!*out) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    (void)snprintf(*out, size, "%s%s%s", scheme, folder, file);
    return 0;
}

/* The XDG specification has relative paths ignored. */
static int make_default_url(char **out, struct rv_error *err) {
    const char *state = set_env("XDG_STATE_HOME");
    if (state && *state == '/') return join(out, "sqlite:", state, "/reeve/reeve.db", err);
    const char *home = set_env("HOME");
    if (home) return join(out, "sqlite:", home, "/.local/state/reeve/reeve.db", err);
    return rv_fail(err, REEVE_EINVAL,
                   "no store is named, and neither $XDG_STATE_HOME nor $HOME is set to find the "
                   "default one");
}

int reeve_default_url(char **out) {
    struct rv_error err = {0};
    *out = NULL;
    return rv_api_result(make_default_url(out, &err), &err);
}

int reeve_redact_url(const char *url, char **out) {
    struct rv_error err = {0};
    *out = url ? rv_url_redact(url) : NULL;
    if (*out) return 0;
    int rc = url ? rv_fail(&err, REEVE_ENOMEM, "out of memory")
                 : rv_fail(&err, REEVE_EINVAL, "url is NULL");
    return rv_api_result(rc, &err);
}

/* Around the store: a log of its calls if $REEVE_TRACE is set, the spool, then the user's codec. */
static int dress_store(struct rv_service *service, const char *url,
                       const struct rv_store_config *config, const struct reeve_options *options,
                       struct rv_error *err) {
    const struct rv_spool_options spool = {
        .path = options->spool, .max = options->spool_max, .url = url, .config = config};
    int rc = 0;
    if (set_env("REEVE_TRACE"))
        rc = rv_trace_open(&service->store, service->store, &service->log, err);
    if (!rc && options->spool) {
        rc = rv_spool_open(&service->spool, service->store, &spool, err);
        if (!rc) service->store = rv_spool_store(service->spool);
    }
    if (!rc && options->codec)
        rc = rv_codec_open(&service->store, service->store, options->codec, err);
    return rc;
}

/* Who has a spool need not wait for the store. */
static int open_store(struct reeve *r, const char *url, const struct reeve_options *options,
                      struct rv_error *err) {
    struct rv_service *service = &r->service;
    struct rv_store_config config = {
        .space = options->space,
        .timeout_ms = service->timeout_ms,
        .log = &service->log,
        .clock = &service->clock,
        .make_folders = !url,
    };
    char *default_url = NULL;
    int rc = url ? 0 : make_default_url(&default_url, err);
    if (!url) url = default_url;
    if (!rc)
        rc = options->spool ? rv_late_open(&service->store, url, &config, err)
                            : rv_store_open(&service->store, url, &config, err);
    if (!rc) {
        rc = dress_store(service, url, &config, options, err);
        if (rc) rv_store_close(service->store);
    }
    free(default_url);
    return rc;
}

static void name_handle(struct reeve *r, const char *name) {
    char *out = r->service.name;
    size_t size = sizeof r->service.name;
    if (!name) name = set_env("POD_NAME");
    if (name) {
        (void)snprintf(out, size, "%s", name);
        return;
    }
    char host[REEVE_ID_SIZE - 32];
    if (gethostname(host, sizeof host)) (void)snprintf(host, sizeof host, "localhost");
    host[sizeof host - 1] = '\0';
    (void)snprintf(out, size, "%s:%ld", host, (long)getpid());
}

static int start(struct reeve *r, const char *url, const struct reeve_options *options,
                 struct rv_error *err) {
    r->service.log = (struct rv_log){options->log, options->log_arg, options->log_level};
    r->service.timeout_ms = options->timeout_ms;
    name_handle(r, options->name);
    int rc = open_store(r, url, options, err);
    if (rc) return rc;
    if (rv_random_pool_init(&r->random)) goto fail_random;
    if (rv_gather_init(&r->gather, r->service.store, r->service.timeout_ms)) goto fail_gather;
    if (rv_wards_init(&r->wards, &r->service)) goto fail_wards;
    if (rv_service_init(&r->service)) goto fail_service;
    rc = r->service.spool ? rv_service_forward(&r->service, err) : 0;
    if (!rc) return 0;
    rv_service_stop(&r->service);

fail_service:
    rv_wards_release(&r->wards);
fail_wards:
    rv_gather_release(&r->gather);
fail_gather:
    rv_random_pool_release(&r->random);
fail_random:
    rv_store_close(r->service.store);
    return rv_fail(err, REEVE_ENOMEM, "out of memory");
}

int reeve_open(reeve **out, const char *url, const struct reeve_options *options) {
    struct rv_error err = {0};
    struct reeve_options checked;
    *out = NULL;
    int rc = rv_check_options(options, &checked, &err);
    if (rc) return rv_api_fail(&err);
    struct reeve *r = calloc(1, sizeof *r);
    rc = r ? start(r, url, &checked, &err) : rv_fail(&err, REEVE_ENOMEM, "out of memory");
    if (rc) {
        free(r);
        return rv_api_fail(&err);
    }
    *out = r;
    return 0;
}

void reeve_close(reeve *r) {
    if (!r) return;
    rv_wards_release(&r->wards);
    rv_service_stop(&r->service);
    rv_gather_release(&r->gather);
    rv_random_pool_release(&r->random);
    rv_store_close(r->service.store);
    free(r);
}
