/* The codec of a handle (P43): the store has encoded bytes only, users see decoded ones only. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <reeve.h>

#include "harness/check.h"
#include "harness/scratch.h"

enum { BOUND_MS = 30000 };

static char url[4096];
static atomic_bool refusing; /* encode refuses "refuse me" */

/* A mark in front, and every byte turned over: what it has not made itself it refuses. */
static int turn(const unsigned char *data, size_t size, unsigned char *out) {
    for (size_t i = 0; i < size; i++)
        out[i] = (unsigned char)~data[i];
    return 0;
}

static int encode(void *arg, const void *data, size_t size, void **out, size_t *out_size) {
    (void)arg;
    if (atomic_load(&refusing) && size == 9 && !memcmp(data, "refuse me", 9)) return REEVE_EINVAL;
    unsigned char *coded = malloc(size + 1);
    if (!coded) return REEVE_ENOMEM;
    coded[0] = 'E';
    *out = coded;
    *out_size = size + 1;
    return turn(data, size, coded + 1);
}

static int decode(void *arg, const void *data, size_t size, void **out, size_t *out_size) {
    (void)arg;
    const unsigned char *coded = data;
    if (!size || coded[0] != 'E') return REEVE_EINVAL;
    *out = malloc(size);
    if (!*out) return REEVE_ENOMEM;
    *out_size = size - 1;
    return turn(coded + 1, size - 1, *out);
}

static reeve *open_handle(bool with_codec) {
    struct reeve_codec codec = {.size = sizeof codec, .encode = encode, .decode = decode};
    struct reeve_options options = {
        .size = sizeof options, .log_level = REEVE_LOG_ERROR, .codec = with_codec ? &codec : NULL};
    reeve *r;
    CHECK_OK(reeve_open(&r, url, &options));
    return r;
}

static struct reeve_push job_of(const char *id, const void *body, size_t size) {
    return (struct reeve_push){.size = sizeof(struct reeve_push),
                               .id = id,
                               .body = body,
                               .body_size = size,
                               .attempts_max = 1};
}

static enum reeve_verdict echo(void *arg, reeve_task *task) {
    (void)arg;
    const struct reeve_job *job = reeve_task_job(task);
    return reeve_task_set_result(task, job->body, job->body_size) ? REEVE_GIVE_UP : REEVE_SUCCEED;
}

static void run_all(reeve *r) {
    struct reeve_worker_options options = {
        .size = sizeof options, .threads = 2, .until_empty = true};
    reeve_worker *w;
    CHECK_OK(reeve_worker_open(&w, r, &options));
    CHECK_OK(reeve_worker_handle(w, NULL, echo, NULL));
    CHECK_OK(reeve_worker_start(w));
    CHECK_OK(reeve_worker_wait(w, BOUND_MS));
    reeve_worker_close(w);
}

static void check_bytes_of(reeve *r, const char *id, const char *body, size_t body_size,
                           const char *result, size_t result_size) {
    struct reeve_job *job;
    CHECK_OK(reeve_get(r, "default", id, &job));
    CHECK_BYTES(job->body, job->body_size, body, body_size);
    CHECK(job->result != NULL);
    CHECK_BYTES(job->result, job->result_size, result, result_size);
    CHECK(!job->undecodable);
    reeve_free(job);
}

static void what_goes_in_comes_out_and_the_store_has_neither(void **state) {
    (void)state;
    reeve *coded = open_handle(true), *raw = open_handle(false);
    struct reeve_push text = job_of("text", "ab\0c", 4), nothing = job_of("nothing", "", 0);
    CHECK_OK(reeve_push(coded, &text, NULL));
    CHECK_OK(reeve_push(coded, &nothing, NULL));
    run_all(coded);
    check_bytes_of(coded, "text", "ab\0c", 4, "ab\0c", 4);
    check_bytes_of(coded, "nothing", "", 0, "", 0);
    check_bytes_of(raw, "text", "E\x9e\x9d\xff\x9c", 5, "E\x9e\x9d\xff\x9c", 5);
    check_bytes_of(raw, "nothing", "E", 1, "E", 1);
    struct reeve_pushed again = {.size = sizeof again};
    CHECK_OK(reeve_push(coded, &text, &again)); /* done: its result comes along, decoded */
    CHECK_INT(again.status, REEVE_DUPLICATE_DONE);
    CHECK_BYTES(again.done->result, again.done->result_size, "ab\0c", 4);
    reeve_free(again.done);
    reeve_close(coded);
    reeve_close(raw);
}

static int count_plain(void *arg, const struct reeve_job *job) {
    *(int *)arg += !job->undecodable && job->body_size == 5 && !memcmp(job->body, "in it", 5);
    return 0;
}

static void lists_are_decoded_too(void **state) {
    (void)state;
    reeve *coded = open_handle(true);
    int plain = 0;
    for (int i = 0; i < 3; i++) {
        char id[8];
        (void)snprintf(id, sizeof id, "l%d", i);
        struct reeve_push push = job_of(id, "in it", 5);
        push.queue = "list";
        CHECK_OK(reeve_push(coded, &push, NULL));
    }
    struct reeve_filter filter = {.size = sizeof filter, .queue = "list"};
    CHECK_OK(reeve_list(coded, &filter, count_plain, &plain, NULL));
    CHECK_INT(plain, 3);
    reeve_close(coded);
}

static void a_body_that_cannot_be_decoded_fails_its_attempt(void **state) {
    (void)state;
    reeve *coded = open_handle(true), *raw = open_handle(false);
    struct reeve_push push = job_of("foreign", "not coded", 9);
    CHECK_OK(reeve_push(raw, &push, NULL));
    run_all(coded);
    struct reeve_job *job;
    CHECK_OK(reeve_get(coded, "default", "foreign", &job));
    CHECK_INT(job->state, REEVE_FAILED);
    CHECK_STR(job->error->code, "codec");
    CHECK(job->undecodable);
    CHECK_BYTES(job->body, job->body_size, "not coded", 9);
    reeve_free(job);
    reeve_close(coded);
    reeve_close(raw);
}

static void a_body_that_cannot_be_encoded_is_refused_alone(void **state) {
    (void)state;
    reeve *coded = open_handle(true);
    struct reeve_push pushes[] = {job_of("m0", "a", 1), job_of("m1", "refuse me", 9),
                                  job_of("m2", "c", 1)};
    struct reeve_pushed outs[3] = {{.size = sizeof *outs}};
    atomic_store(&refusing, true);
    CHECK_FAILS(reeve_push_many(coded, pushes, 3, outs), REEVE_EINVAL);
    CHECK_INT(outs[0].status, REEVE_QUEUED);
    CHECK_INT(outs[1].error, REEVE_EINVAL);
    CHECK_INT(outs[2].status, REEVE_QUEUED);
    struct reeve_job *job;
    CHECK_FAILS(reeve_get(coded, "default", "m1", &job), REEVE_ENOENT);
    CHECK_OK(reeve_get(coded, "default", "m2", &job));
    CHECK_BYTES(job->body, job->body_size, "c", 1);
    reeve_free(job);
    atomic_store(&refusing, false);
    reeve_close(coded);
}

static void half_a_codec_is_refused(void **state) {
    (void)state;
    struct reeve_codec half = {.size = sizeof half, .encode = encode};
    struct reeve_options options = {.size = sizeof options, .codec = &half};
    reeve *r;
    CHECK_FAILS(reeve_open(&r, url, &options), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "codec has no decode") != NULL);
}

int main(void) {
    char *folder = scratch_create();
    if (!folder) return 99;
    (void)snprintf(url, sizeof url, "sqlite:%s/q.db", folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out_and_the_store_has_neither),
        cmocka_unit_test(lists_are_decoded_too),
        cmocka_unit_test(a_body_that_cannot_be_decoded_fails_its_attempt),
        cmocka_unit_test(a_body_that_cannot_be_encoded_is_refused_alone),
        cmocka_unit_test(half_a_codec_is_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests_name("codec", tests, NULL, NULL);
    scratch_destroy(folder);
    return failed;
}
