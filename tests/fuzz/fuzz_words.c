/* A command as one string. */
#include "fuzz.h"
#include "words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = text_of(data, size);
    char **words = NULL;
    const char *problem = words_split(text, &words);
    if (problem) {
        promise(*problem != '\0', "a refusal has words");
    } else {
        size_t bytes = 0;
        for (char **word = words; *word; word++)
            bytes += strlen(*word);
        promise(bytes <= strlen(text), "nothing is added");
        free(words);
    }
    free(text);
    return 0;
}
