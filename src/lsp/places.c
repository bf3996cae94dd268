#include "lsp/server.h"

/* What is beyond 32 bits is as far as they go: behind the end in any case. */
static bool read_count(const mt_json *node, uint32_t *out)
{
    int64_t n;
    if (mt_json_i64(node, &n) || n < 0) {
        return false;
    }
    *out = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    return true;
}

bool ls_read_place(const ls_server *s, const ls_text *t, const mt_json *at,
                   size_t *offset)
{
    ls_position p;
    if (!read_count(mt_json_at(at, "line"), &p.line) ||
        !read_count(mt_json_at(at, "character"), &p.unit)) {
        return false;
    }
    *offset = ls_offset(t, p, s->units);
    return true;
}

bool ls_read_range(const ls_server *s, const ls_text *t, const mt_json *range,
                   ls_range *out)
{
    ls_range r;
    if (!ls_read_place(s, t, mt_json_at(range, "start"), &r.from) ||
        !ls_read_place(s, t, mt_json_at(range, "end"), &r.to) || r.from > r.to) {
        return false;
    }
    *out = r;
    return true;
}

bool ls_read_lines(const mt_json *range, uint32_t *first, uint32_t *last)
{
    uint32_t from, to;
    if (!read_count(mt_json_at(mt_json_at(range, "start"), "line"), &from) ||
        !read_count(mt_json_at(mt_json_at(range, "end"), "line"), &to) || from > to) {
        return false;
    }
    *first = from;
    *last = to;
    return true;
}

void ls_write_position(mt_jw *w, const ls_server *s, const ls_text *t, size_t offset)
{
    ls_position p = ls_position_of(t, offset, s->units);
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "character", p.unit);
    mt_jw_key_i64(w, "line", p.line);
    mt_jw_end_object(w);
}

void ls_write_range(mt_jw *w, const ls_server *s, const ls_text *t, ls_range r)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "end");
    ls_write_position(w, s, t, r.to);
    mt_jw_keyz(w, "start");
    ls_write_position(w, s, t, r.from);
    mt_jw_end_object(w);
}

bool ls_write_site_range(ls_call *c, const ls_view *v, const fr_site *site)
{
    const ls_text *t = ls_view_text(v, site->file);
    if (t) {
        ls_write_range(c->w, c->s, t, ls_site_range(site));
    }
    return t;
}

/* The text of a System's member is not among the view's: its lines are counted anew. */
static const ls_text *text_of_site(ls_call *c, const ls_view *v, const fr_site *site,
                                   ls_text *room)
{
    const ls_text *t = ls_view_text(v, site->file);
    for (size_t i = 0; !t && v->e && i < v->e->member_count; i++) {
        const ct_elaboration *m = v->e->members[i].contract;
        for (size_t k = 0; m && !t && k < m->source_count; k++) {
            if (mt_str_eq(m->sources[k].path, site->file)) {
                *room = ls_text_of(c->a, m->sources[k].text);
                t = room;
            }
        }
    }
    return t;
}

void ls_write_location(ls_call *c, const ls_view *v, const fr_site *site)
{
    ls_text room;
    const ls_text *t = text_of_site(c, v, site, &room);
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "range");
    if (t) {
        ls_write_range(c->w, c->s, t, ls_site_range(site));
    } else {
        ls_text none = ls_text_of(c->a, MT_STR(""));
        ls_write_range(c->w, c->s, &none, (ls_range){0, 0});
    }
    mt_jw_key_str(c->w, "uri", ls_uri_of(c->s, c->a, site->file));
    mt_jw_end_object(c->w);
}

void ls_write_edit(ls_call *c, const ls_text *t, ls_range r, mt_str text)
{
    mt_jw_begin_object(c->w);
    mt_jw_key_str(c->w, "newText", text);
    mt_jw_keyz(c->w, "range");
    ls_write_range(c->w, c->s, t, r);
    mt_jw_end_object(c->w);
}

void ls_write_markdown(ls_call *c, mt_str words, const ls_text *t, const ls_range *r)
{
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "contents");
    mt_jw_begin_object(c->w);
    mt_jw_key_str(c->w, "kind", MT_STR("markdown"));
    mt_jw_key_str(c->w, "value", words);
    mt_jw_end_object(c->w);
    if (r) {
        mt_jw_keyz(c->w, "range");
        ls_write_range(c->w, c->s, t, *r);
    }
    mt_jw_end_object(c->w);
}
