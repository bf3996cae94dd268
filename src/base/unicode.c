/* base/unicode.c - see unicode.h. The last run that begins at or before a character
 * has its bits; the first begins at 0, so there always is one. */
#include "base/unicode.h"

bool mt_unicode_is(uint32_t character, uint32_t bits)
{
    uint32_t low = 0, high = mt_unicode_run_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (mt_unicode_runs[middle] >> 8 <= character) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return mt_unicode_runs[low] & bits;
}
