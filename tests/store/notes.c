/* What a running job tells of itself, and whether its lease is still the current one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "harness/sound.h"
#include "store/topics.h"

static int note(struct fixture *f, struct held held, int progress, const char *line) {
    struct rv_note told = {.id = held.job->id,
                           .token = held.token,
                           .holder = held.holder,
                           .progress = progress,
                           .line = line};
    int rc = rv_store_note(handle(f), held.queue, &told, &f->err);
    if (rc == REEVE_EFENCED) f->expected.fenced++;
    return rc;
}

static int check(struct fixture *f, struct held held) {
    return rv_store_check(handle(f), held.queue, held.job->id, held.token, held.holder, &f->err);
}

#define CHECK_NOTES(job, progress, ...) \
    check_notes((job), (progress), (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__)
static void check_notes(const struct reeve_job *job, int progress, const char *const *lines,
                        const char *file, int line) {
    size_t count = 0;
    check_int(job->progress, progress, "progress", file, line);
    for (; lines[count]; count++)
        check_str(count < job->log_count ? job->log[count] : NULL, lines[count], "line", file,
                  line);
    check_int((int64_t)job->log_count, (int64_t)count, "lines", file, line);
}

#define CHECK_NO_NOTES(job) CHECK_NOTES(job, REEVE_NONE, NULL)

static struct held hold(struct fixture *f, const char *id) {
    (void)push(f, id);
    return claim_as(f, "w", id);
}

static struct held under(struct held held, uint64_t token, uint64_t holder) {
    held.token = token;
    held.holder = holder;
    return held;
}

/* ---- what is told ---- */
static void what_was_never_told_is_none(struct fixture *f) {
    (void)push(f, "a");
    CHECK_NO_NOTES(read_job(f, "a"));
    struct held held = claim_as(f, "w", "a");
    CHECK_NO_NOTES(held.job);
    struct rv_lapsed lapsed;
    lapse_leases(f);
    CHECK_CALL(f, rv_store_lapsed(handle(f), "jobs", &lapsed, &f->err));
    CHECK_INT(lapsed.count, 1);
    CHECK_NO_NOTES(lapsed.jobs[0].job);
    rv_lapsed_release(&lapsed);
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    CHECK_NO_NOTES(push(f, "a").done);
    struct rv_jobs page;
    struct rv_list_query query = {.queue = "jobs", .limit = 10};
    CHECK_CALL(f, rv_store_list(handle(f), &query, &page, &f->err));
    CHECK_NO_NOTES(page.jobs[0]);
    rv_jobs_release(&page);
}

static void progress_and_lines_are_shown(struct fixture *f) {
    struct held held = hold(f, "a");
    CHECK_OK(note(f, held, 0, NULL));
    CHECK_NOTES(read_job(f, "a"), 0, NULL);
    CHECK_OK(note(f, held, REEVE_NONE, "began"));
    CHECK_NOTES(read_job(f, "a"), 0, "began");
    CHECK_OK(note(f, held, 50, "half"));
    CHECK_OK(note(f, held, 100, NULL));
    CHECK_NOTES(read_job(f, "a"), 100, "began", "half");
    CHECK_OK(note(f, held, 20, NULL)); /* as told last, also when that is less */
    CHECK_NOTES(read_job(f, "a"), 20, "began", "half");
    CHECK_STATE(f, "a", REEVE_RUNNING);
}

static void each_job_of_a_claim_tells_of_itself(struct fixture *f) {
    push_many(f, LINE, 3, NULL);
    struct claimed claimed = claim_up_to(f, "w", 3);
    CHECK_OK(note(f, held_of(&claimed, 0), 10, "zero"));
    CHECK_OK(note(f, held_of(&claimed, 2), 30, "two"));
    CHECK_NOTES(read_job(f, LINE "0"), 10, "zero");
    CHECK_NO_NOTES(read_job(f, LINE "1"));
    CHECK_NOTES(read_job(f, LINE "2"), 30, "two");
    f->queue = "others"; /* J10: the id alone is no address */
    struct held other = hold(f, LINE "1");
    CHECK_OK(note(f, other, 5, NULL));
    f->queue = "jobs";
    CHECK_NO_NOTES(read_job(f, LINE "1"));
}

static void lines_are_bytes(struct fixture *f) { /* J10 */
    char longest[RV_LOG_LINE_MAX + 1];
    memset(longest, 'x', RV_LOG_LINE_MAX);
    longest[RV_LOG_LINE_MAX] = '\0';
    struct held held = hold(f, "a");
    CHECK_OK(note(f, held, REEVE_NONE, ""));
    CHECK_OK(note(f, held, REEVE_NONE, "two\nlines\x1b[31m"));
    CHECK_OK(note(f, held, REEVE_NONE, "\xff\xc3 no UTF-8 '\"%s"));
    CHECK_OK(note(f, held, REEVE_NONE, "42")); /* a text that looks like a number */
    CHECK_OK(note(f, held, REEVE_NONE, longest));
    CHECK_NOTES(read_job(f, "a"), REEVE_NONE, "", "two\nlines\x1b[31m", "\xff\xc3 no UTF-8 '\"%s",
                "42", longest);
}

static void the_last_lines_are_kept(struct fixture *f) { /* J11 */
    char line[16];
    struct held held = hold(f, "a");
    for (int i = 0; i < RV_LOG_LINES_MAX + 7; i++) {
        (void)snprintf(line, sizeof line, "line %d", i);
        CHECK_OK(note(f, held, i % 101, line));
    }
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->log_count, RV_LOG_LINES_MAX);
    for (int i = 0; i < RV_LOG_LINES_MAX; i++) {
        (void)snprintf(line, sizeof line, "line %d", i + 7);
        CHECK_STR(job->log[i], line);
    }
    CHECK_INT(job->progress, (RV_LOG_LINES_MAX + 6) % 101);
}

static void too_much_is_refused(struct fixture *f) {
    char line[RV_LOG_LINE_MAX + 2];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    struct held held = hold(f, "a");
    CHECK_FAILS(note(f, held, REEVE_NONE, line), REEVE_EINVAL);
    CHECK_FAILS(note(f, held, 101, NULL), REEVE_EINVAL);
    CHECK_FAILS(note(f, held, -2, NULL), REEVE_EINVAL);
    CHECK_FAILS(note(f, held, REEVE_NONE, NULL), REEVE_EINVAL);
    CHECK_NO_NOTES(read_job(f, "a"));
}

/* ---- under the token ---- */
static void only_the_holder_may_tell(struct fixture *f) { /* I3 J3 J5 */
    struct held held = hold(f, "a");
    CHECK_OK(note(f, held, 40, "mine"));
    CHECK_FAILS(note(f, under(held, held.token - 1, held.holder), 1, "x"), REEVE_EFENCED);
    CHECK_FAILS(note(f, under(held, held.token + 1, held.holder), 1, "x"), REEVE_EFENCED);
    CHECK_FAILS(note(f, under(held, held.token, held.holder + 1), 1, "x"), REEVE_EFENCED);
    CHECK_FAILS(note(f, under(held, 0, 0), 1, "x"), REEVE_EFENCED);
    CHECK_NOTES(read_job(f, "a"), 40, "mine");
    CHECK_INT(stats(f).fenced_total, 4);
}

static void who_has_finished_tells_no_more(struct fixture *f) { /* I3 T17 */
    struct held held = hold(f, "a");
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    CHECK_FAILS(note(f, held, 90, "late"), REEVE_EFENCED);
    CHECK_NO_NOTES(read_job(f, "a"));
    held = hold(f, "b");
    CHECK_OK(finish(f, held, RV_HANDED_BACK));
    CHECK_FAILS(note(f, held, 90, "late"), REEVE_EFENCED);
    CHECK_NO_NOTES(read_job(f, "b"));
    CHECK_OK(remove_job(f, "b"));
    CHECK_FAILS(note(f, held, 90, "late"), REEVE_EFENCED);
}

static void a_lost_lease_tells_no_more(struct fixture *f) { /* I3 T17 T35 */
    struct held lost = hold(f, "a");
    lapse_leases(f);
    CHECK_OK(note(f, lost, 10, "late, but nobody knows yet")); /* J8 */
    CHECK_INT(recover(f), 1);
    CHECK_FAILS(note(f, lost, 20, "x"), REEVE_EFENCED);
    struct held held = claim_as(f, "w", "a"); /* the same worker, and yet a stranger */
    CHECK_FAILS(note(f, lost, 30, "x"), REEVE_EFENCED);
    CHECK_OK(note(f, held, 40, "again"));
    CHECK_NOTES(read_job(f, "a"), 40, "late, but nobody knows yet", "again");
}

static void a_job_of_another_claim_is_not_ones_own(struct fixture *f) {
    struct held first = hold(f, "a"), second = hold(f, "b");
    struct held mixed = {
        .queue = "jobs", .holder = second.holder, .token = second.token, .job = first.job};
    CHECK_FAILS(note(f, mixed, 1, "x"), REEVE_EFENCED);
    CHECK_FAILS(check(f, mixed), REEVE_EFENCED);
    CHECK_NO_NOTES(read_job(f, "a"));
}

/* ---- how long ---- */
static void notes_stay_with_the_record(struct fixture *f) {
    struct held held = hold(f, "a");
    CHECK_OK(note(f, held, 30, "first try"));
    CHECK_OK(finish(f, held, RV_FAILED_ATTEMPT));
    CHECK_NOTES(read_job(f, "a"), 30, "first try");
    move_clock(f, RETRY_MS + 1);
    held = claim_as(f, "w", "a");
    CHECK_NOTES(held.job, 30, "first try"); /* the next handler sees it */
    CHECK_OK(note(f, held, 60, "second try"));
    CHECK_OK(finish(f, held, RV_GIVEN_UP));
    CHECK_NOTES(read_job(f, "a"), 60, "first try", "second try");
    CHECK_OK(revive(f, "a"));
    CHECK_NOTES(read_job(f, "a"), 60, "first try", "second try");
    held = claim_as(f, "w", "a");
    CHECK_OK(cancel(f, "a", NULL)); /* a mark does not disturb them, nor they the mark */
    CHECK_OK(note(f, held, 70, NULL));
    CHECK(read_job(f, "a")->cancelling);
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    CHECK_NOTES(push(f, "a").done, 70, "first try", "second try");
}

static void marks_and_notes_do_not_disturb_one_another(struct fixture *f) {
    struct held held = hold(f, "a");
    struct rv_renewal renewal = {.holder = held.holder, .token = held.token, .lease_ms = LEASE_MS};
    struct rv_cancel_marks marks;
    CHECK_OK(note(f, held, 30, "x"));
    CHECK_OK(cancel(f, "a", NULL));
    CHECK_CALL(f, rv_store_renew(handle(f), "jobs", &renewal, 1, CALL_MS, &marks, &f->err));
    (void)adopt(f, marks.marks);
    CHECK_INT(marks.count, 1);
    CHECK_OK(finish(f, held, RV_FAILED_ATTEMPT));
    CHECK_STATE(f, "a", REEVE_CANCELLED); /* and not tried again */
    CHECK_NOTES(read_job(f, "a"), 30, "x");
    CHECK_OK(revive(f, "a"));
    CHECK(!read_job(f, "a")->cancelling);
    held = claim_as(f, "w", "a");
    CHECK(!held.job->cancelling);
    CHECK_NOTES(held.job, 30, "x");
}

static void notes_survive_opening_again(struct fixture *f) {
    struct held held = hold(f, "a");
    CHECK_OK(note(f, held, 30, "kept"));
    fixture_reopen(f);
    CHECK_NOTES(read_job(f, "a"), 30, "kept");
}

static void told(struct fixture *f, const char *id) {
    struct held held = hold(f, id);
    CHECK_OK(note(f, held, 30, id));
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
}

/* Pushes the id anew; the record may even get the place of the old one. */
static void check_starts_without(struct fixture *f, const char *id) {
    struct rv_new_job job = new_job(f, id);
    job.policy.keep_ms = 0;
    CHECK_INT(push_job(f, &job).status, REEVE_QUEUED);
    CHECK_NO_NOTES(read_job(f, id));
    struct held held = claim_as(f, "w", id);
    CHECK_NO_NOTES(held.job);
    CHECK_OK(note(f, held, REEVE_NONE, "new"));
    CHECK_NOTES(read_job(f, id), REEVE_NONE, "new");
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
}

static void notes_go_with_the_record(struct fixture *f) {
    told(f, "removed");
    CHECK_OK(remove_job(f, "removed"));
    check_sound(f, false); /* not even out of sight */
    check_starts_without(f, "removed");
    check_starts_without(f, "removed"); /* whose end left no record */
    told(f, "expired");
    move_clock(f, KEEP_MS + 1);
    check_starts_without(f, "expired");
    told(f, "tended");
    move_clock(f, KEEP_MS + 1);
    CHECK_INT(tend(f).expired, 1);
    check_sound(f, false);
    check_starts_without(f, "tended");
    struct held held = hold(f, "cancelled");
    CHECK_OK(note(f, held, 30, "x"));
    CHECK_OK(finish(f, held, RV_HANDED_BACK));
    CHECK_OK(cancel(f, "cancelled", NULL));
    check_starts_without(f, "cancelled");
    check_sound(f, false);
}

static void notes_of_an_earlier_attempt_go_with_the_last(struct fixture *f) {
    struct rv_new_job job = new_job(f, "a");
    job.policy.keep_ms = 0;
    (void)push_job(f, &job);
    struct held held = claim_as(f, "w", "a");
    CHECK_OK(note(f, held, 30, "first try"));
    CHECK_OK(finish(f, held, RV_FAILED_ATTEMPT));
    move_clock(f, RETRY_MS + 1);
    held = claim_as(f, "w", "a");
    CHECK_OK(finish(f, held, RV_SUCCEEDED)); /* which has told nothing */
    CHECK_GONE(f, "a");
    check_sound(f, false);
}

/* ---- check ---- */
static void a_lease_can_be_asked_for(struct fixture *f) {
    struct held held = hold(f, "a");
    CHECK_OK(check(f, held));
    CHECK_FAILS(check(f, under(held, held.token + 1, held.holder)), REEVE_EFENCED);
    CHECK_FAILS(check(f, under(held, held.token, held.holder + 1)), REEVE_EFENCED);
    CHECK_FAILS(check(f, under(held, 0, 0)), REEVE_EFENCED);
    CHECK_INT(stats(f).fenced_total, 0); /* a question is no write */
    lapse_leases(f);
    CHECK_OK(check(f, held)); /* J8: nobody has finished it by proxy */
    CHECK(renew(f, held));
    CHECK_OK(check(f, held));
    CHECK_INT(recover(f), 1);
    CHECK_FAILS(check(f, held), REEVE_EFENCED);
    struct held next = claim_as(f, "w", "a");
    CHECK_FAILS(check(f, held), REEVE_EFENCED);
    CHECK_OK(check(f, next));
    CHECK_OK(finish(f, next, RV_SUCCEEDED));
    CHECK_FAILS(check(f, next), REEVE_EFENCED);
    CHECK_FAILS(check(f, under(next, 0, 0)), REEVE_EFENCED);
    CHECK_OK(remove_job(f, "a"));
    CHECK_FAILS(check(f, next), REEVE_ENOENT);
    f->queue = "others";
    CHECK_FAILS(rv_store_check(handle(f), "others", "a", 1, 1, &f->err), REEVE_ENOENT);
}

static const struct store_test tests[] = {
    TEST(what_was_never_told_is_none),
    TEST(progress_and_lines_are_shown),
    TEST(each_job_of_a_claim_tells_of_itself),
    TEST(lines_are_bytes),
    TEST(the_last_lines_are_kept),
    TEST(too_much_is_refused),
    TEST(only_the_holder_may_tell),
    TEST(who_has_finished_tells_no_more),
    TEST(a_lost_lease_tells_no_more),
    TEST(a_job_of_another_claim_is_not_ones_own),
    TEST(notes_stay_with_the_record),
    TEST(marks_and_notes_do_not_disturb_one_another),
    TEST_NEEDING(RV_CAP_DURABLE, notes_survive_opening_again),
    TEST(notes_go_with_the_record),
    TEST(notes_of_an_earlier_attempt_go_with_the_last),
    TEST(a_lease_can_be_asked_for),
    {0},
};

const struct topic topic_notes = {"notes", tests};
