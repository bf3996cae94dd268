/* cli/main.c - the program.
 * Room: cli. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
