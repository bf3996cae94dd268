/* cli/main.c - the front door: finds the command in the table and runs it.
 * Room: cli. */
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    fputs("usage: motet COMMAND\n", stderr);
    return 2;
}
