/* Owns streams of a group until a line comes in: streams STORE-URL GROUP. Each stream is looked at
 * once and ended; a real owner would stay with it until it is told that it has lost it. */
#include <inttypes.h>
#include <reeve.h>
#include <stdio.h>

struct owner {
    reeve_member *member;
};

static void owned(void *arg, const struct reeve_stream *stream) {
    struct owner *owner = arg;
    printf("%s under %" PRIu64 ": %.*s\n", stream->name, stream->token, (int)stream->info_size,
           (const char *)stream->info);
    fflush(stdout);
    if (reeve_member_end(owner->member, stream->name)) fprintf(stderr, "end: %s\n", reeve_errmsg());
}

static void lost(void *arg, const struct reeve_stream *stream, enum reeve_lost why) {
    (void)arg;
    printf("%s lost: %s\n", stream->name, reeve_lost_name(why));
}

int main(int argc, char **argv) {
    reeve *r;
    struct owner owner;
    struct reeve_member_options options = {
        .size = sizeof options, .max = 10, .owned = owned, .lost = lost, .arg = &owner};
    if (argc != 3) {
        fprintf(stderr, "usage: streams STORE-URL GROUP\n");
        return 2;
    }
    if (reeve_open(&r, argv[1], NULL) || reeve_member_open(&owner.member, r, argv[2], &options)) {
        fprintf(stderr, "streams: %s\n", reeve_errmsg());
        reeve_close(r);
        return 1;
    }
    (void)getchar();
    reeve_member_close(owner.member); /* yields what it still has */
    reeve_close(r);
    return 0;
}
