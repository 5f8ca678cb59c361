/* What a damaged file gives as a push that was kept: refused, or read; and what is packed of it
 * reads and packs as the same. */
#include "core/parcel.h"
#include "fuzz.h"

static void check_again(const struct rv_parcel *parcel) {
    struct rv_buf first, second;
    struct rv_parcel again;
    int rc = rv_parcel_pack(parcel, &first);
    promise(rc == 0 || rc == REEVE_ENOMEM, "what was read can be packed");
    if (!rc) {
        rc = rv_parcel_read((struct rv_bytes){first.data, first.size}, &again, NULL);
        promise(rc == 0, "it can be read again");
        promise(rv_parcel_pack(&again, &second) == 0, "and packed");
        promise(first.size == second.size && !memcmp(first.data, second.data, first.size),
                "it reads as it was packed");
        rv_buf_release(&second);
    }
    rv_buf_release(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct rv_parcel parcel;
    struct rv_error err = {0};
    int rc = rv_parcel_read((struct rv_bytes){data, size}, &parcel, &err);
    promise(rc == 0 || rc == REEVE_ECORRUPT, "a defined answer");
    promise(rc == 0 || *err.text, "a refusal says why");
    if (!rc) check_again(&parcel);
    return 0;
}
