/* A url of a Redis server is taken or refused, and never shows its password. */
#include "base/url.h"
#include "fuzz.h"
#include "store/redis/url.h"

static const char secret[] = "Pa55w0rd-that-is-nowhere-else";

static void parse(const char *url, bool has_secret) {
    struct rv_rd_url parsed;
    struct rv_error err = {0};
    int rc = rv_rd_url_parse(url, &parsed, &err);
    if (rc) {
        promise(err.code == rc && err.text[0], "a refusal says why");
        promise(!has_secret || !strstr(err.text, secret), "it does not show the password");
        return;
    }
    const struct rv_rd_target *target = &parsed.target;
    promise(target->path || parsed.host_count || (target->host && target->port),
            "there is a server");
    promise(strlen(parsed.prefix) <= RV_RD_PREFIX_MAX, "the prefix is short");
    promise(!has_secret || !strstr(target->shown, secret), "what is shown is no password");
    rv_rd_url_release(&parsed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const heads[] = {"redis:",        "rediss://",         "redis://",
                                        "redis+unix://", "redis+sentinel://", "redis+cluster://"};
    char *text = text_of(data, size);
    if (strstr(text, secret)) {
        free(text);
        return 0;
    }
    size_t room = size + sizeof secret + 64;
    char *url = malloc(room);
    promise(url != NULL, "there is memory");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        (void)snprintf(url, room, "%s%s", heads[i], text);
        parse(url, false);
    }
    (void)snprintf(url, room, "redis://user:%s@%s", secret, text);
    parse(url, true);
    free(url);
    free(text);
    return 0;
}
