#define _DEFAULT_SOURCE /* timegm */
#include "values.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The digits at the beginning of text; *end points behind them. false with ERANGE: too many. */
static bool leading_number(const char *text, int64_t *out, const char **end) {
    errno = 0;
    if (!isdigit((unsigned char)*text)) return false;
    char *stop;
    long long value = strtoll(text, &stop, 10);
    *out = value;
    *end = stop;
    return !errno;
}

const char *parse_int(const char *text, int64_t *out) {
    const char *end;
    bool minus = *text == '-';
    if (!leading_number(text + minus, out, &end))
        return errno == ERANGE ? "is far out of range" : "is not a whole number";
    if (*end) return "is not a whole number";
    if (minus) *out = -*out;
    return NULL;
}

struct unit {
    const char *name;
    int64_t factor;
};

/* A number and one of the units. */
static bool with_unit(const char *text, const struct unit *units, int64_t *out, bool *bare) {
    const char *end;
    *bare = false;
    if (!leading_number(text, out, &end)) return false;
    *bare = !*end;
    for (; units->name; units++) {
        if (strcmp(end, units->name) != 0) continue;
        if (*out > INT64_MAX / units->factor) {
            errno = ERANGE;
            return false;
        }
        *out *= units->factor;
        return true;
    }
    return false;
}

const char *parse_duration(const char *text, int64_t *out_ms) {
    static const struct unit units[] = {
        {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}, {NULL, 0},
    };
    bool bare;
    if (with_unit(text, units, out_ms, &bare)) return NULL;
    if (errno == ERANGE) return "is too long: 3650d are ten years";
    return bare ? "is a bare number: a duration needs a unit, as in 250ms 5s 1m 2h 7d"
                : "is not a duration such as 250ms 5s 1m 2h 7d";
}

const char *parse_size(const char *text, size_t *out) {
    static const struct unit units[] = {
        {"", 1}, {"k", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {NULL, 0},
    };
    bool bare;
    int64_t value;
    if (!with_unit(text, units, &value, &bare)) return "is not a size such as 100 64k 1M";
    *out = (size_t)value;
    return NULL;
}

/* Exactly count digits at *at, which moves on. -1 if they are not there. */
static int digits(const char **at, int count) {
    int value = 0;
    for (; count; count--, (*at)++) {
        if (!isdigit((unsigned char)**at)) return -1;
        value = 10 * value + (**at - '0');
    }
    return value;
}

static bool skip(const char **at, const char *one_of) {
    if (!**at || !strchr(one_of, **at)) return false;
    (*at)++;
    return true;
}

/* "Z", or a difference to UTC such as +02:00, in minutes. */
static bool parse_zone(const char **at, int *minutes) {
    *minutes = 0;
    if (skip(at, "Zz")) return true;
    int sign = **at == '-' ? -1 : 1;
    if (!skip(at, "+-")) return false;
    int hours = digits(at, 2);
    if (hours < 0 || hours > 23 || !skip(at, ":")) return false;
    int rest = digits(at, 2);
    *minutes = sign * (60 * hours + rest);
    return rest >= 0 && rest < 60;
}

/* ".123": milliseconds of as many digits as there are. */
static bool parse_fraction(const char **at, int *ms) {
    *ms = 0;
    if (!skip(at, ".")) return true;
    if (!isdigit((unsigned char)**at)) return false;
    for (int factor = 100; isdigit((unsigned char)**at); (*at)++, factor /= 10)
        *ms += factor * (**at - '0');
    return true;
}

static bool parse_date(const char **at, struct tm *tm) {
    tm->tm_year = digits(at, 4) - 1900;
    if (!skip(at, "-")) return false;
    tm->tm_mon = digits(at, 2) - 1;
    if (!skip(at, "-")) return false;
    tm->tm_mday = digits(at, 2);
    return tm->tm_year >= -1900 && tm->tm_mon >= 0 && tm->tm_mon < 12 && tm->tm_mday >= 1;
}

/* hh:mm:ss, as seconds of the day; 60 seconds make a leap second. */
static bool parse_clock(const char **at, int *seconds) {
    int hour = digits(at, 2);
    if (hour < 0 || hour > 23 || !skip(at, ":")) return false;
    int minute = digits(at, 2);
    if (minute < 0 || minute > 59 || !skip(at, ":")) return false;
    int second = digits(at, 2);
    *seconds = 3600 * hour + 60 * minute + second;
    return second >= 0 && second <= 60;
}

const char *parse_time(const char *text, int64_t *out_ms) {
    static const char wrong[] = "is not a time such as 2026-01-31T12:00:00Z";
    struct tm tm = {0};
    int seconds, ms, zone;
    const char *at = text;
    if (!parse_date(&at, &tm) || !skip(&at, "Tt ") || !parse_clock(&at, &seconds)) return wrong;
    if (!parse_fraction(&at, &ms) || !parse_zone(&at, &zone) || *at) return wrong;
    int day = tm.tm_mday;
    int64_t midnight = timegm(&tm);
    if (tm.tm_mday != day) return "is a day that does not exist";
    *out_ms = (midnight + seconds - 60 * (int64_t)zone) * 1000 + ms;
    return *out_ms > 0 ? NULL : "lies before 1970";
}

const char *parse_address(const char *text, struct address *out) {
    const char *slash = strchr(text, '/');
    if (!slash || slash == text || !slash[1]) return "is not of the form QUEUE/ID";
    size_t size = (size_t)(slash - text);
    if (size >= sizeof out->queue) return "has a queue name of over 128 bytes";
    memcpy(out->queue, text, size);
    out->queue[size] = '\0';
    out->id = slash + 1;
    return NULL;
}
