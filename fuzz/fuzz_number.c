/* Text read as a double, against strtod(); and eight bytes taken as a double, whose
 * text must read back to the same bits. */
#include <math.h>
#include <stdlib.h>

#include "base/json_scan.h"
#include "base/number.h"

static void check_read(mt_str text)
{
    char zero_terminated[512];
    double ours, theirs;
    mt_scan_fault fault;
    bool starts =
        text.len && (text.ptr[0] == '-' || (unsigned)(text.ptr[0] - '0') < 10);
    const char *end = text.ptr + text.len;
    bool valid = starts && mt_scan_number(text.ptr, end, &fault) == end;
    mt_err err = mt_number_parse(text, &ours);
    MT_ASSERT(valid == (err != MT_E_SYNTAX));
    if (valid && text.len < sizeof zero_terminated) {
        memcpy(zero_terminated, text.ptr, text.len);
        zero_terminated[text.len] = '\0';
        theirs = strtod(zero_terminated, NULL);
        MT_ASSERT(memcmp(&ours, &theirs, sizeof ours) == 0);
        MT_ASSERT(isinf(theirs) ? err == MT_E_RANGE : err == MT_OK);
    }
}

static void check_print(const uint8_t *bytes)
{
    double value, again;
    char text[MT_NUMBER_TEXT];
    memcpy(&value, bytes, sizeof value);
    size_t len = mt_number_print(value, text);
    MT_ASSERT(len <= MT_NUMBER_TEXT);
    if (isfinite(value)) {
        MT_ASSERT(mt_number_parse(mt_str_from(text, len), &again) == MT_OK);
        MT_ASSERT(memcmp(&value, &again, sizeof value) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_read(mt_str_from((const char *)data, size));
    if (size >= sizeof(double)) {
        check_print(data);
    }
    return 0;
}
