/* fuzz/replay.c - runs a fuzz target once over every file of its corpus. */
#include <dirent.h>
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

int main(int argc, char **argv)
{
    DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;
    if (!dir) {
        fprintf(stderr, "usage: replay CORPUS-DIRECTORY\n");
        return 2;
    }
    int count = 0;
    for (struct dirent *e; (e = readdir(dir)); count++) {
        char path[4096];
        if (e->d_name[0] == '.') {
            count--;
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", argv[1], e->d_name);
        run_file(path);
    }
    closedir(dir);
    printf("%d inputs\n", count);
    return count ? 0 : 1;
}
