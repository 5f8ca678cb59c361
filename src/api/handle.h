/* What a `reeve *` points to. Only src/api looks inside. */
#ifndef RV_API_HANDLE_H
#define RV_API_HANDLE_H

#include <reeve.h>

#include "base/random.h"
#include "service/gather.h"
#include "service/service.h"
#include "work/wards.h"

struct reeve {
    struct rv_service service;    /* the store and the background threads */
    struct rv_gather gather;      /* pushes of many threads on their way to the store */
    struct rv_random_pool random; /* for ids and nonces */
    struct rv_wards wards;        /* programs that run beside us */
};

#endif
