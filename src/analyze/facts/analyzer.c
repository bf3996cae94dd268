#include "analyze/facts/analyzer.h"

const an_obligation_info AN_OBLIGATIONS[AN_OBLIGATION_COUNT] = {
    [AN_S1] = {"s1", "State space"},
    [AN_S2] = {"s2", "Reachable states"},
    [AN_S3A] = {"s3a", "Admissible operations"},
    [AN_S4] = {"s4", "Authority"},
    [AN_S5] = {"s5", "Verdicts and outcomes"},
    [AN_S6] = {"s6", "Flow paths"},
    [AN_S7] = {"s7", "Bounds"},
    [AN_S8] = {"s8", "Verdict uniqueness"},
};

static uint32_t obligation_bit(mt_str name)
{
    for (int i = 0; i < AN_OBLIGATION_COUNT; i++) {
        if (mt_str_eq(name, mt_str_z(AN_OBLIGATIONS[i].name))) {
            return 1u << i;
        }
    }
    return mt_str_is(name, "s3") ? 1u << AN_S3A : 0;
}

uint32_t an_obligations_read(mt_str names)
{
    uint32_t set = 0;
    for (;;) {
        size_t comma = mt_str_find(names, ',');
        uint32_t bit =
            obligation_bit(mt_str_trim(mt_str_from(names.ptr, comma), MT_STR(" ")));
        if (!bit) {
            return 0;
        }
        set |= bit;
        if (comma == names.len) {
            return set;
        }
        names = mt_str_skip(names, comma + 1);
    }
}

bool an_go_on(an_analyzer *z, const char *what, uint64_t done, uint64_t all)
{
    if (z->an->complete && z->watcher.go_on &&
        !z->watcher.go_on(z->watcher.context, what, done, all)) {
        z->an->complete = false;
    }
    return z->an->complete;
}

void an_report_finding(an_analyzer *z, const char *code, mt_severity severity,
                       const char *kind, mt_str construct, mt_str part,
                       ct_origin origin, const char *format, ...)
{
    va_list args;
    const ct_code_info *info = an_finding_info(code);
    va_start(args, format);
    mt_str message = mt_strfv(z->fs->arena, format, args);
    va_end(args);
    an_finding f = {.code = info->code,
                    .analysis = AN_OBLIGATIONS[code[1] - '1'].name,
                    .severity = severity,
                    .kind = kind,
                    .construct = construct,
                    .part = part,
                    .origin = origin,
                    .message = message,
                    .hint = mt_str_z(info->hint)};
    an_finding_add(z->fs, &f);
}
