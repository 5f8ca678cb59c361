/* core/parcel: a push reads back as it was packed, and damaged bytes are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/parcel.h"

static struct rv_parcel full_parcel(void) {
    return (struct rv_parcel){
        .target = "redis://host reeve",
        .at_ms = 1700000000000,
        .job = {.queue = "mail",
                .kind = "letter",
                .id = "an id",
                .nonce = UINT64_MAX,
                .body = {"a\0b", 3},
                .priority = REEVE_PRIORITY_MIN,
                .run_at_ms = 1700000000001,
                .policy = {.attempts_max = 7,
                           .backoff = REEVE_EXPONENTIAL,
                           .backoff_ms = 11,
                           .backoff_ms_max = 12,
                           .timeout_ms = 13,
                           .keep_ms = REEVE_NONE}},
    };
}

static void pack(struct rv_buf *out) {
    struct rv_parcel parcel = full_parcel();
    assert_int_equal(rv_parcel_pack(&parcel, out), 0);
}

/* From a block that ends where they do, so that ASan sees a read past the end. */
static int read_copy(const unsigned char *bytes, size_t size, struct rv_error *err) {
    struct rv_parcel parcel;
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    int rc = rv_parcel_read((struct rv_bytes){copy, size}, &parcel, err);
    free(copy);
    return rc;
}

static void a_parcel_reads_back(void **state) {
    (void)state;
    struct rv_parcel full = full_parcel(), read;
    struct rv_buf buf;
    pack(&buf);
    assert_int_equal(rv_parcel_read((struct rv_bytes){buf.data, buf.size}, &read, NULL), 0);
    assert_string_equal(read.target, full.target);
    assert_int_equal(read.at_ms, full.at_ms);
    assert_string_equal(read.job.queue, "mail");
    assert_string_equal(read.job.kind, "letter");
    assert_string_equal(read.job.id, "an id");
    assert_true(read.job.nonce == UINT64_MAX);
    assert_int_equal(read.job.body.size, 3);
    assert_memory_equal(read.job.body.data, "a\0b", 3);
    assert_int_equal(read.job.priority, REEVE_PRIORITY_MIN);
    assert_int_equal(read.job.run_at_ms, full.job.run_at_ms);
    assert_int_equal(read.job.policy.attempts_max, 7);
    assert_int_equal(read.job.policy.backoff, REEVE_EXPONENTIAL);
    assert_int_equal(read.job.policy.backoff_ms, 11);
    assert_int_equal(read.job.policy.backoff_ms_max, 12);
    assert_int_equal(read.job.policy.timeout_ms, 13);
    assert_int_equal(read.job.policy.keep_ms, REEVE_NONE);
    rv_buf_release(&buf);
}

static void what_is_cut_is_refused(void **state) {
    (void)state;
    struct rv_buf buf;
    pack(&buf);
    for (size_t size = 0; size < buf.size; size++)
        assert_int_equal(read_copy(buf.data, size, NULL), REEVE_ECORRUPT);
    rv_buf_release(&buf);
}

static void what_is_longer_is_refused(void **state) {
    (void)state;
    struct rv_buf buf;
    pack(&buf);
    assert_int_equal(rv_buf_add_u8(&buf, 0), 0);
    assert_int_equal(read_copy(buf.data, buf.size, NULL), REEVE_ECORRUPT);
    rv_buf_release(&buf);
}

static void a_later_version_is_named(void **state) {
    (void)state;
    struct rv_error err = {0};
    struct rv_buf buf;
    pack(&buf);
    buf.data[0] = 9;
    assert_int_equal(read_copy(buf.data, buf.size, &err), REEVE_ECORRUPT);
    assert_non_null(strstr(err.text, "version 9"));
    rv_buf_release(&buf);
}

/* It may read as another push: that is for the store to refuse. But never past its end. */
static void a_byte_that_is_wrong_does_no_harm(void **state) {
    (void)state;
    static const unsigned char wrong[] = {0x01, 0x80, 0xff};
    struct rv_buf buf;
    pack(&buf);
    for (size_t i = 0; i < buf.size; i++) {
        for (size_t k = 0; k < sizeof wrong; k++) {
            buf.data[i] ^= wrong[k];
            int rc = read_copy(buf.data, buf.size, NULL);
            assert_true(rc == 0 || rc == REEVE_ECORRUPT);
            buf.data[i] ^= wrong[k];
        }
    }
    rv_buf_release(&buf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parcel_reads_back),
        cmocka_unit_test(what_is_cut_is_refused),
        cmocka_unit_test(what_is_longer_is_refused),
        cmocka_unit_test(a_later_version_is_named),
        cmocka_unit_test(a_byte_that_is_wrong_does_no_harm),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("parcel", tests, NULL, NULL);
}
