/* A url is shown without its password, whatever else is wrong with it. */
#include "base/url.h"
#include "fuzz.h"

/* The same url with this password shows nothing of it. */
static void check_hidden(const char *user, const char *host) {
    static const char secret[] = "Pa55w0rd-that-is-nowhere-else";
    if (strpbrk(user, ":/?#@")) return; /* then it is no password */
    if (strstr(user, secret) || strstr(host, secret)) return;
    size_t size = strlen(user) + strlen(host) + sizeof secret + 16;
    char *url = malloc(size);
    if (!url) abort();
    (void)snprintf(url, size, "redis://%s:%s@%s", user, secret, host);
    char *shown = rv_url_redact(url);
    promise(shown && !strstr(shown, secret), "the password is hidden");
    free(shown);
    free(url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *url = text_of(data, size);
    char *shown = rv_url_redact(url), *again = shown ? rv_url_redact(shown) : NULL;
    promise(shown && again, "there is memory");
    promise(strcmp(shown, again) == 0, "what is shown shows itself");
    char *half = text_of(data, size / 2);
    check_hidden(half, url + strlen(url) / 2);
    free(half);
    free(again);
    free(shown);
    free(url);
    return 0;
}
