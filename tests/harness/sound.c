#include "harness/sound.h"

#include <string.h>

#include "harness/check.h"
#include "harness/fixture.h"

/* Whether Sentinels hear each other at this moment says nothing of what the store holds. */
static bool is_about_data(const struct rv_finding *finding) {
    return strcmp(finding->check, "sentinels") != 0;
}

void check_sound(struct fixture *f, bool repair) {
    struct rv_findings findings;
    bool counted = false;
    CHECK_CALL(f, rv_store_examine(handle(f), repair, &findings, &f->err));
    (void)adopt(f, findings.findings);
    CHECK(findings.count > 0);
    for (size_t i = 0; i < findings.count; i++) {
        const struct rv_finding *finding = &findings.findings[i];
        if (finding->health != REEVE_FINE) print_error("%s: %s\n", finding->check, finding->text);
        if (is_about_data(finding)) CHECK_INT(finding->health, REEVE_FINE);
        CHECK(*finding->check && *finding->text);
        if (strcmp(finding->check, "counters") == 0) counted = true;
    }
    CHECK(counted);
}
