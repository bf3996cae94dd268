/* motet studio in a program that was built without the page. The table of files is
 * this one, so that of the library is not linked. */
#include "said.h"

#include "cli/commands.h"
#include "http/studio.h"

const ht_file HT_STUDIO_FILES[1] = {{0}};
const size_t HT_STUDIO_COUNT = 0;

static void it_says_how_to_get_the_page(void **state)
{
    char *words[] = {(char[]){"motet"}, (char[]){"studio"}, (char[]){"/tmp"}, NULL};
    (void)state;
    said_begin();
    int code = cli_main(3, words);
    assert_string_equal(said_end(),
                        "motet studio: this program was built without Studio: `make "
                        "studio` builds it, where npm is there, then `make`\n");
    assert_int_equal(code, CLI_WORLD);
}

int main(void)
{
    rows_list list = {.count = 0};
    rows_test(&list, it_says_how_to_get_the_page);
    return rows_run(&list, "cli/studio");
}
