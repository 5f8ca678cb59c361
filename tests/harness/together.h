/* Ids of one shard, if queues have one shard or four: what is true of one claim, or of one line, is
 * true of these. LINE "0" to LINE "9", and AISLE with one of the letters abcdemqxyz. */
#ifndef HARNESS_TOGETHER_H
#define HARNESS_TOGETHER_H

#define LINE "agso-"
#define AISLE "yugx-"

#endif
