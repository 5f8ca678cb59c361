#include "bench_peer.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_load.h"
#include "exit.h"

enum { READY_MS = 30000 };

static enum reeve_verdict respond(void *arg, reeve_task *task) {
    int64_t now = bench_now_ns();
    const struct bench_peer *peer = arg;
    static const char result[] = "pong";
    if (peer->starts[1] >= 0 && write(peer->starts[1], &now, sizeof now) != sizeof now)
        return REEVE_GIVE_UP;
    return reeve_task_set_result(task, result, sizeof result - 1) ? REEVE_GIVE_UP : REEVE_SUCCEED;
}

static int start_worker(struct bench_peer *peer, int threads) {
    static const char *const queues[] = {BENCH_QUEUE, NULL};
    struct reeve_worker_options options = {
        .size = sizeof options,
        .queues = queues,
        .threads = threads,
    };
    int rc = reeve_worker_open(&peer->worker, peer->r, &options);
    if (!rc) rc = reeve_worker_handle(peer->worker, NULL, respond, peer);
    if (!rc) rc = reeve_worker_start(peer->worker);
    return rc ? fail_api(rc) : EXIT_DONE;
}

/* Each with a handle of its own, as if it were alone in its process. */
static int start_crew(struct bench_peer *crew, const struct bench *b, int threads) {
    int exit_code = EXIT_DONE;
    for (int i = 0; !exit_code && i < b->workers; i++) {
        crew[i].r = bench_open(b, &exit_code);
        if (crew[i].r) exit_code = start_worker(&crew[i], threads);
    }
    return exit_code;
}

/* The other process: works until ours closes its end. */
static int live(const struct bench_peer *peer, const struct bench *b, int threads) {
    char byte = 0;
    struct bench_peer *crew = calloc((size_t)b->workers, sizeof *crew);
    if (!crew) return fail(EXIT_BROKEN, "out of memory");
    for (int i = 0; i < b->workers; i++)
        crew[i] = *peer;
    int exit_code = start_crew(crew, b, threads);
    if (!exit_code && write(peer->life[1], &byte, 1) == 1)
        while (read(peer->life[1], &byte, 1) > 0)
            continue;
    for (int i = 0; i < b->workers; i++) {
        reeve_worker_close(crew[i].worker);
        reeve_close(crew[i].r);
    }
    free(crew);
    return exit_code;
}

static int wait_until_ready(const struct bench_peer *peer) {
    struct pollfd said = {.fd = peer->life[0], .events = POLLIN};
    char byte;
    if (poll(&said, 1, READY_MS) == 1 && read(peer->life[0], &byte, 1) == 1) return EXIT_DONE;
    return fail(EXIT_BROKEN, "bench: the other process did not get ready");
}

static int fork_worker(struct bench_peer *peer, const struct bench *b, int threads) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, peer->life)) return fail(EXIT_BROKEN, "cannot talk");
    peer->pid = fork();
    if (peer->pid < 0) return fail(EXIT_BROKEN, "cannot start a process");
    if (!peer->pid) {
        (void)close(peer->life[0]);
        _exit(live(peer, b, threads));
    }
    (void)close(peer->life[1]);
    peer->life[1] = -1;
    return wait_until_ready(peer);
}

int bench_peer_open(struct bench_peer *peer, const struct bench *b, int threads, bool tell_starts) {
    int exit_code = EXIT_DONE;
    *peer = (struct bench_peer){.starts = {-1, -1}, .life = {-1, -1}};
    if (tell_starts && pipe(peer->starts)) return fail(EXIT_BROKEN, "cannot make a pipe");
    if (b->shared) exit_code = fork_worker(peer, b, threads);
    if (!exit_code) peer->r = bench_open(b, &exit_code);
    if (!exit_code && !b->shared) exit_code = start_worker(peer, threads);
    return exit_code;
}

static void shut(int ends[2]) {
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0) (void)close(ends[i]);
}

void bench_peer_close(struct bench_peer *peer) {
    shut(peer->life);
    if (peer->pid > 0) (void)waitpid(peer->pid, NULL, 0);
    reeve_worker_close(peer->worker);
    reeve_close(peer->r);
    shut(peer->starts);
}

int bench_peer_started(struct bench_peer *peer, int64_t timeout_ms, int64_t *at_ns) {
    struct pollfd told = {.fd = peer->starts[0], .events = POLLIN};
    if (poll(&told, 1, (int)timeout_ms) != 1) return REEVE_ETIMEDOUT;
    return read(peer->starts[0], at_ns, sizeof *at_ns) == sizeof *at_ns ? 0 : REEVE_EBUG;
}
