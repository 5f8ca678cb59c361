#include <stdio.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "json.h"
#include "text.h"

struct report {
    bool json, quiet, bad;
};

static const char *health_name(enum reeve_health health) {
    switch (health) {
    case REEVE_FINE:
        return "fine";
    case REEVE_DOUBTFUL:
        return "doubtful";
    case REEVE_REPAIRED:
        return "repaired";
    case REEVE_BAD:
        break;
    }
    return "bad";
}

static int tell(void *arg, const struct reeve_finding *finding) {
    struct report *report = arg;
    const char *health = health_name(finding->health);
    if (finding->health == REEVE_BAD) report->bad = true;
    if (report->json)
        return json_line(json_pack("{s:s, s:s, s:o}", "health", health, "check", finding->check,
                                   "text", json_text(finding->text)));
    if (report->quiet && finding->health == REEVE_FINE) return 0;
    (void)printf("%-8s  %-11s  ", health, finding->check);
    text_put(stdout, finding->text, strlen(finding->text));
    (void)putchar('\n');
    return 0;
}

/* A store that cannot even be opened has not passed: that is what was asked. */
static bool is_finding(int rc) {
    return rc == REEVE_EUNREACHABLE || rc == REEVE_ECORRUPT || rc == REEVE_ESCHEMA;
}

static int examine(const struct cli *cli, bool repair) {
    struct report report = {.json = cli->json, .quiet = cli->quiet};
    reeve *r;
    int exit_code, rc = cli_try_open(cli, &r, &exit_code);
    if (is_finding(rc)) {
        struct reeve_finding finding = {REEVE_BAD, rc == REEVE_EUNREACHABLE ? "reachable" : "store",
                                        reeve_errmsg()};
        (void)tell(&report, &finding);
        return EXIT_NO;
    }
    if (rc) return fail_api(rc);
    if (!r) return exit_code;
    rc = reeve_doctor(r, repair, tell, &report);
    reeve_close(r);
    if (rc) return fail_api(rc);
    return report.bad ? EXIT_NO : EXIT_DONE;
}

static int run(struct cli *cli, int argc, char **argv) {
    bool repair = false;
    struct arg args[] = {
        arg_flag("repair", &repair, "mend what can be mended"),
        {0},
    };
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 0, 0, &operands, &exit_code)) return exit_code;
    cli->spool_use = CLI_SPOOL_INSTEAD;
    return examine(cli, repair);
}

const struct cmd cmd_doctor = {
    .name = "doctor",
    .summary = "find out whether the store is fit and consistent",
    .usage = "Usage: reeve doctor [--repair]\n"
             "\n"
             "One line for each finding: fine, doubtful, bad or repaired, then what was looked\n"
             "at. Exit 1 if one is bad. With --quiet what is fine is left out.\n",
    .run = run,
};
