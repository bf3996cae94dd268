/* fuzz/replay.c - runs a fuzz target once over every file below a directory. */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    /* Exactly the bytes: a read past the end must be seen by the sanitizer. */
    uint8_t *data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, f) != size) {
        perror(path);
        exit(1);
    }
    fclose(f);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int count;

static int visit(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about;
    if (kind == FTW_F && path[at->base] != '.') {
        run_file(path);
        count++;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2 || nftw(argv[1], visit, 16, FTW_PHYS)) {
        fprintf(stderr, "usage: replay DIRECTORY\n");
        return 2;
    }
    printf("%d inputs\n", count);
    return count ? 0 : 1;
}
