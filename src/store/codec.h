/* A store around another that keeps bodies and results encoded: for compression or encryption
 * (P43). What goes in is encoded, what comes out decoded; neither the store nor its users know. */
#ifndef RV_STORE_CODEC_H
#define RV_STORE_CODEC_H

#include "store/store.h"

/* *out owns inner from now on; *codec is copied. On failure inner is still the caller's. A job
 * whose body or result cannot be decoded comes out as it is stored, marked as undecodable. A push
 * whose body cannot be encoded is refused by itself; an outcome whose result cannot be is refused
 * by its status. */
int rv_codec_open(struct rv_store **out, struct rv_store *inner, const struct reeve_codec *codec,
                  struct rv_error *err);

#endif
