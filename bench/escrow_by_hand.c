#include "escrow_by_hand.h"

#include "base/utf8.h"

/* ---- The decision ---- */

enum { REFUND_FACT = 1, THRESHOLD = 2, STATUS = 4, AMOUNT = 8, ITEMS = 16 };
enum { VALIDATED, WITHIN, CONFIRMED, FAILED, REQUESTED, REFUND, RELEASE, REVIEW };

static void give(hand_verdicts *v, unsigned which, unsigned facts, unsigned verdicts,
                 const char *payload)
{
    v->present |= 1u << which;
    v->facts[which] = facts;
    v->verdicts[which] = verdicts;
    v->payload[which] = payload;
}

static bool all_valid(const hand_facts *f)
{
    for (size_t i = 0; i < f->item_count; i++) {
        if (!f->items[i].valid) {
            return false;
        }
    }
    return true;
}

void hand_decide(const hand_facts *f, hand_verdicts *v)
{
    static const char YES[] = "{\"kind\":\"bool_value\",\"value\":true}";
    static const char AUTO[] = "{\"kind\":\"text_value\",\"value\":\"auto\"}";
    const unsigned ready = 1u << VALIDATED | 1u << CONFIRMED;
    v->present = 0;
    if (all_valid(f)) {
        give(v, VALIDATED, ITEMS, 0, YES);
    }
    if (mt_decimal_cmp(f->amount, f->threshold) <= 0) {
        give(v, WITHIN, AMOUNT | THRESHOLD, 0, YES);
    }
    if (f->status == HAND_CONFIRMED) {
        give(v, CONFIRMED, STATUS, 0, YES);
    }
    if (f->status == HAND_FAILED) {
        give(v, FAILED, STATUS, 0, YES);
    }
    if (f->refund) {
        give(v, REQUESTED, REFUND_FACT, 0, YES);
    }
    unsigned now = v->present;
    if ((now & (1u << FAILED)) && (now & (1u << REQUESTED))) {
        give(v, REFUND, 0, 1u << FAILED | 1u << REQUESTED, YES);
    }
    if ((now & ready) == ready) {
        bool within = now & (1u << WITHIN);
        give(v, within ? RELEASE : REVIEW, 0, ready | 1u << WITHIN,
             within ? AUTO : YES);
    }
}

/* ---- Printing ---- */

static const struct {
    const char *rule, *verdict;
    int stratum;
} RULES[8] = {{"all_line_items_valid", "line_items_validated", 0},
              {"amount_within_threshold", "within_threshold", 0},
              {"delivery_confirmed", "delivery_confirmed", 0},
              {"delivery_failed", "delivery_failed", 0},
              {"refund_requested", "refund_requested", 0},
              {"can_refund", "refund_approved", 1},
              {"can_release_without_compliance", "release_approved", 1},
              {"requires_compliance_review", "compliance_review_required", 1}};

static void print_facts(mt_buf *out, unsigned facts)
{
    /* The comparison reads the amount before the threshold. */
    static const struct {
        unsigned bit;
        const char *name;
    } IN_ORDER[] = {{AMOUNT, "escrow_amount"},
                    {THRESHOLD, "compliance_threshold"},
                    {STATUS, "delivery_status"},
                    {ITEMS, "line_items"},
                    {REFUND_FACT, "buyer_requested_refund"}};
    const char *comma = "";
    for (size_t i = 0; i < 5; i++) {
        if (facts & IN_ORDER[i].bit) {
            mt_buf_addz(out, comma);
            mt_buf_addc(out, '"');
            mt_buf_addz(out, IN_ORDER[i].name);
            mt_buf_addc(out, '"');
            comma = ",";
        }
    }
}

static void print_verdicts(mt_buf *out, unsigned verdicts)
{
    static const unsigned IN_ORDER[] = {VALIDATED, CONFIRMED, WITHIN, FAILED,
                                        REQUESTED};
    const char *comma = "";
    for (size_t i = 0; i < 5; i++) {
        if (verdicts & (1u << IN_ORDER[i])) {
            mt_buf_addz(out, comma);
            mt_buf_addc(out, '"');
            mt_buf_addz(out, RULES[IN_ORDER[i]].verdict);
            mt_buf_addc(out, '"');
            comma = ",";
        }
    }
}

void hand_print(mt_buf *out, const hand_verdicts *v)
{
    const char *comma = "";
    mt_buf_addz(out, "{\"verdicts\":[");
    for (unsigned i = 0; i < 8; i++) {
        if (!(v->present & (1u << i))) {
            continue;
        }
        mt_buf_addz(out, comma);
        mt_buf_addz(out, "{\"payload\":");
        mt_buf_addz(out, v->payload[i]);
        mt_buf_addz(out, ",\"provenance\":{\"facts_used\":[");
        print_facts(out, v->facts[i]);
        mt_buf_addz(out, "],\"rule\":\"");
        mt_buf_addz(out, RULES[i].rule);
        mt_buf_addz(out, "\",\"stratum\":");
        mt_buf_addc(out, (char)('0' + RULES[i].stratum));
        mt_buf_addz(out, ",\"verdicts_used\":[");
        print_verdicts(out, v->verdicts[i]);
        mt_buf_addz(out, "]},\"type\":\"");
        mt_buf_addz(out, RULES[i].verdict);
        mt_buf_addz(out, "\"}");
        comma = ",";
    }
    mt_buf_addz(out, "]}");
}

/* ---- Reading ---- */

typedef struct cursor {
    const char *p, *end;
} cursor;

static void skip_space(cursor *c)
{
    while (c->p < c->end &&
           (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r')) {
        c->p++;
    }
}

static bool take(cursor *c, char wanted)
{
    skip_space(c);
    if (c->p == c->end || *c->p != wanted) {
        return false;
    }
    c->p++;
    return true;
}

/* A string without escapes; control characters are refused. */
static bool string(cursor *c, mt_str *out)
{
    if (!take(c, '"')) {
        return false;
    }
    const char *start = c->p;
    bool ascii = true;
    while (c->p < c->end && *c->p != '"') {
        unsigned char b = (unsigned char)*c->p;
        if (b < 0x20 || b == '\\') {
            return false;
        }
        ascii = ascii && b < 0x80;
        c->p++;
    }
    *out = mt_str_from(start, (size_t)(c->p - start));
    return take(c, '"') && (ascii || mt_utf8_check(*out) == out->len);
}

static bool text(cursor *c, size_t max, mt_str *out)
{
    return string(c, out) && (out->len <= max || mt_utf8_count(*out) <= max);
}

static bool boolean(cursor *c, bool *out)
{
    skip_space(c);
    size_t left = (size_t)(c->end - c->p);
    if (left >= 4 && memcmp(c->p, "true", 4) == 0) {
        *out = true;
        c->p += 4;
        return true;
    }
    if (left >= 5 && memcmp(c->p, "false", 5) == 0) {
        *out = false;
        c->p += 5;
        return true;
    }
    return false;
}

/* Reads members until the closing brace; `member` knows them by name. */
static bool object(cursor *c, bool (*member)(cursor *, mt_str, unsigned *, void *),
                   unsigned *seen, void *state)
{
    if (!take(c, '{')) {
        return false;
    }
    for (bool first = true; !take(c, '}'); first = false) {
        mt_str key;
        if ((!first && !take(c, ',')) || !string(c, &key) || !take(c, ':') ||
            !member(c, key, seen, state)) {
            return false;
        }
    }
    return true;
}

static bool once(unsigned *seen, unsigned bit)
{
    bool fresh = !(*seen & bit);
    *seen |= bit;
    return fresh;
}

static bool money_member(cursor *c, mt_str key, unsigned *seen, void *state)
{
    mt_str value;
    if (!string(c, &value)) {
        return false;
    }
    if (mt_str_is(key, "amount")) {
        return once(seen, 1) && mt_decimal_parse(value, state) == MT_OK;
    }
    return mt_str_is(key, "currency") && once(seen, 2) && mt_str_is(value, "USD");
}

static bool money(cursor *c, mt_decimal *out)
{
    unsigned seen = 0;
    return object(c, money_member, &seen, out) && seen == 3;
}

static bool item_member(cursor *c, mt_str key, unsigned *seen, void *state)
{
    hand_item *item = state;
    if (mt_str_is(key, "id")) {
        return once(seen, 1) && text(c, 64, &item->id);
    }
    if (mt_str_is(key, "description")) {
        return once(seen, 2) && text(c, 256, &item->description);
    }
    if (mt_str_is(key, "amount")) {
        return once(seen, 4) && money(c, &item->amount);
    }
    return mt_str_is(key, "valid") && once(seen, 8) && boolean(c, &item->valid);
}

static bool items(cursor *c, hand_facts *f)
{
    if (!take(c, '[')) {
        return false;
    }
    for (f->item_count = 0; !take(c, ']'); f->item_count++) {
        unsigned seen = 0;
        if (f->item_count == HAND_ITEMS || (f->item_count && !take(c, ',')) ||
            !object(c, item_member, &seen, &f->items[f->item_count]) || seen != 15) {
            return false;
        }
    }
    return true;
}

static bool status(cursor *c, hand_status *out)
{
    mt_str value;
    if (!string(c, &value)) {
        return false;
    }
    *out = mt_str_is(value, "confirmed") ? HAND_CONFIRMED
           : mt_str_is(value, "failed")  ? HAND_FAILED
                                         : HAND_PENDING;
    return *out != HAND_PENDING || mt_str_is(value, "pending");
}

static bool fact_member(cursor *c, mt_str key, unsigned *seen, void *state)
{
    hand_facts *f = state;
    if (mt_str_is(key, "escrow_amount")) {
        return once(seen, AMOUNT) && money(c, &f->amount);
    }
    if (mt_str_is(key, "delivery_status")) {
        return once(seen, STATUS) && status(c, &f->status);
    }
    if (mt_str_is(key, "compliance_threshold")) {
        return once(seen, THRESHOLD) && money(c, &f->threshold);
    }
    if (mt_str_is(key, "buyer_requested_refund")) {
        return once(seen, REFUND_FACT) && boolean(c, &f->refund);
    }
    return mt_str_is(key, "line_items") && once(seen, ITEMS) && items(c, f);
}

bool hand_read(mt_str json, hand_facts *out)
{
    cursor c = {json.ptr, json.ptr + json.len};
    unsigned seen = 0;
    out->refund = false;
    out->threshold = (mt_decimal){.lo = 1000000, .scale = 2};
    if (!object(&c, fact_member, &seen, out)) {
        return false;
    }
    skip_space(&c);
    unsigned needed = AMOUNT | STATUS | ITEMS;
    return c.p == c.end && (seen & needed) == needed;
}
