/* host/graph_letters.c - intents that could not be delivered, line by line in a file.
 * Room: host.
 * Writing appends one line and returns when it is on disk. Reading goes through all
 * lines in their order and keeps one entry for each intent id: the last line about it
 * says whether it waits, its place is that of the first. A last line without its end is
 * passed over, since its writer was killed before anybody relied on it.
 * May fail: the file, or a whole line that is neither kind of entry; then nothing is
 * given back, and `why` names the line. */
#include "host/graph_letters.h"

#include "base/map.h"
#include "base/vec.h"
#include "os/file.h"

static mt_err append(const char *path, mt_buf *line)
{
    mt_buf_addc(line, '\n');
    mt_err err = os_append_line(path, mt_buf_str(line));
    mt_buf_free(line);
    return err;
}

mt_err ho_letters_add(const char *path, const ho_dead_letter *dead)
{
    mt_buf line = {0};
    mt_jw w = mt_jw_start(&line, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "dead");
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "attempts", dead->attempts);
    mt_jw_key_str(&w, "channel", dead->channel);
    mt_jw_key_str(&w, "code", dead->code);
    mt_jw_keyz(&w, "fields");
    mt_jw_raw(&w, dead->letter.fields);
    mt_jw_key_str(&w, "intent_id", dead->letter.id);
    mt_jw_key_str(&w, "kind", dead->letter.kind);
    mt_jw_key_str(&w, "reason", dead->reason);
    mt_jw_end_object(&w);
    mt_jw_end_object(&w);
    return append(path, &line);
}

mt_err ho_letters_sent(const char *path, mt_str channel, mt_str intent_id)
{
    mt_buf line = {0};
    mt_jw w = mt_jw_start(&line, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "sent");
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "channel", channel);
    mt_jw_key_str(&w, "intent_id", intent_id);
    mt_jw_end_object(&w);
    mt_jw_end_object(&w);
    return append(path, &line);
}

/* ---- reading ---- */

typedef struct entry {
    ho_dead_letter dead;
    bool sent;
} entry;

static const mt_form_row DEAD[] = {
    MT_FORM_U32(ho_dead_letter, attempts, "attempts", 0, UINT32_MAX, MT_FORM_REQUIRED),
    MT_FORM_TEXT(ho_dead_letter, channel, "channel", MT_FORM_REQUIRED),
    MT_FORM_TEXT(ho_dead_letter, code, "code", MT_FORM_REQUIRED),
    MT_FORM_RAW(ho_dead_letter, letter.fields, "fields", MT_FORM_REQUIRED),
    MT_FORM_NAME(ho_dead_letter, letter.id, "intent_id", 1000, MT_FORM_REQUIRED),
    MT_FORM_NAME(ho_dead_letter, letter.kind, "kind", 1000, MT_FORM_REQUIRED),
    MT_FORM_TEXT(ho_dead_letter, reason, "reason", MT_FORM_REQUIRED),
};
static const mt_form_row SENT[] = {
    MT_FORM_TEXT(ho_dead_letter, channel, "channel", MT_FORM_REQUIRED),
    MT_FORM_NAME(ho_dead_letter, letter.id, "intent_id", 1000, MT_FORM_REQUIRED),
};

typedef struct reading {
    mt_arena *arena;
    mt_map by_id; /* value: index in entries, plus one */
    MT_VEC(entry) entries;
    mt_buf *why;
} reading;

static void note(reading *r, const ho_dead_letter *dead, bool sent)
{
    bool added;
    mt_map_entry *e = mt_map_add(r->arena, &r->by_id, dead->letter.id, &added);
    if (added) {
        entry fresh = {.dead = *dead, .sent = sent};
        mt_vec_push(r->arena, &r->entries, fresh);
        e->value = r->entries.len;
        return;
    }
    entry *old = &r->entries.items[e->value - 1];
    old->sent = sent;
    if (!sent) {
        old->dead = *dead;
    }
}

static mt_err read_line(reading *r, mt_str line)
{
    mt_json node;
    ho_dead_letter dead = {0};
    mt_form form = {.arena = r->arena,
                    .what = "a dead letter",
                    .report = mt_form_join,
                    .state = r->why};
    if (mt_json_read(r->arena, line, NULL, &node, NULL)) {
        mt_buf_addz(r->why, "it is not JSON");
        return MT_E_CORRUPT;
    }
    const mt_json *fresh = mt_json_at(&node, "dead"), *sent = mt_json_at(&node, "sent");
    if (!fresh == !sent || node.count != 1) {
        mt_buf_addz(r->why, "it must have either `dead` or `sent`");
        return MT_E_CORRUPT;
    }
    if (fresh ? !mt_form_read(&form, fresh, DEAD, mt_form_count(DEAD), &dead)
              : !mt_form_read(&form, sent, SENT, mt_form_count(SENT), &dead)) {
        return MT_E_CORRUPT;
    }
    if (fresh && !mt_json_is(mt_json_at(fresh, "fields"), MT_JSON_OBJECT)) {
        mt_buf_addz(r->why, "`fields` must be an object");
        return MT_E_CORRUPT;
    }
    note(r, &dead, sent != NULL);
    return MT_OK;
}

static mt_err read_lines(reading *r, mt_str text)
{
    mt_err err = MT_OK;
    for (size_t number = 1; text.len && !err; number++) {
        size_t end = mt_str_find(text, '\n');
        if (end == text.len) {
            break; /* torn: its writer was killed before it went on */
        }
        err = read_line(r, mt_str_from(text.ptr, end));
        if (err) {
            mt_buf_addf(r->why, " (line %zu)", number);
        }
        text = mt_str_skip(text, end + 1);
    }
    return err;
}

mt_err ho_letters_read(mt_arena *a, const char *path, size_t limit,
                       ho_dead_letter **out, size_t *count, mt_buf *why)
{
    mt_str text;
    reading r = {.arena = a, .why = why};
    mt_err err = os_read_file(a, path, limit, &text);
    err = err ? err : read_lines(&r, text);
    *count = 0;
    *out = mt_new_array(a, ho_dead_letter, r.entries.len);
    for (size_t i = 0; i < r.entries.len && !err; i++) {
        if (!r.entries.items[i].sent) {
            (*out)[(*count)++] = r.entries.items[i].dead;
        }
    }
    return err;
}
