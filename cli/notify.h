/* Telling the service manager how things stand, if $NOTIFY_SOCKET asks for it: sd_notify(3). */
#ifndef CLI_NOTIFY_H
#define CLI_NOTIFY_H

#include <stdint.h>

void notify(const char *state);   /* "READY=1", "STOPPING=1", "WATCHDOG=1" */
void notify_reloading(void);      /* READY=1 is to follow */
int64_t notify_watchdog_ms(void); /* how often WATCHDOG=1 is to be told; 0: not at all */

#endif
