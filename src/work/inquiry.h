/* A line that a program asks its worker, and the line that answers it: see desk.h. The line may be
 * anybody's: nothing is believed of it. */
#ifndef RV_WORK_INQUIRY_H
#define RV_WORK_INQUIRY_H

#include "store/store.h"

#define RV_INQUIRY_SIZE 640 /* of either line: more than any that makes sense */

/* line: without its line feed; it is taken apart. The answer has one. */
void rv_inquiry_answer(struct rv_store *store, char *line, char out[RV_INQUIRY_SIZE]);

#endif
