/* base/picture_json.c - the description of a picture itself.
 *
 * For programs that draw on their own. Every key is always there, null where there is
 * nothing; keys are in byte order; nodes, groups and edges stand in the order in which
 * they were added. Groups, nodes and personas refer to each other by name, since names
 * are unique (picture.c). `version` grows when a key changes its meaning.
 *
 * Personas come with both their colours, so that a page needs no palette of its own.
 * Text that is not UTF-8 is mended here, because JSON cannot hold it and the picture
 * may have been made from anything. */
#include "base/json_write.h"
#include "base/picture.h"
#include "base/utf8.h"

static const char *const FRAMES[] = {[MT_BOX] = "box", [MT_LANE] = "lane"};
MT_TABLE_COVERS(FRAMES, MT_FRAME_COUNT);

/* JSON is UTF-8, texts may be anything. */
static void add_text(mt_jw *w, mt_str text)
{
    if (mt_utf8_check(text) == text.len) {
        mt_jw_str(w, text);
        return;
    }
    mt_arena a = {0};
    mt_jw_str(w, mt_picture_text(&a, text, text.len));
    mt_arena_free(&a);
}

static void add_or_null(mt_jw *w, bool given, mt_str text)
{
    if (given) {
        add_text(w, text);
    } else {
        mt_jw_null(w);
    }
}

/* A key with the name of a persona, or null. */
static void add_persona(mt_jw *w, const mt_picture *p, uint32_t persona)
{
    bool given = persona != MT_PICTURE_NONE;
    mt_jw_keyz(w, "persona");
    add_or_null(w, given, given ? p->personas.entries[persona].key : (mt_str){0});
}

static void add_texts(mt_jw *w, mt_str tooltip)
{
    mt_jw_keyz(w, "tooltip");
    add_or_null(w, tooltip.len, tooltip);
}

/* Only where it is marked: most pictures are not about what was tried. */
static void add_seen(mt_jw *w, mt_seen seen)
{
    if (seen != MT_UNMARKED) {
        mt_jw_key_bool(w, "seen", seen == MT_SEEN);
    }
}

static void add_edge(mt_jw *w, const mt_picture *p, const mt_picture_edge *e)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "from");
    add_text(w, p->nodes.items[e->from].name);
    mt_jw_keyz(w, "label");
    add_text(w, e->label);
    mt_jw_key_str(w, "line", mt_str_z(mt_line_name(e->line)));
    add_persona(w, p, e->persona);
    add_seen(w, e->seen);
    mt_jw_keyz(w, "to");
    add_text(w, p->nodes.items[e->to].name);
    add_texts(w, e->tooltip);
    mt_jw_end_object(w);
}

static void add_group_name(mt_jw *w, const mt_picture *p, uint32_t group)
{
    bool given = group != MT_PICTURE_NONE;
    add_or_null(w, given, given ? p->groups.items[group].name : (mt_str){0});
}

static void add_group(mt_jw *w, const mt_picture *p, const mt_picture_group *g)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "frame", mt_str_z(FRAMES[g->frame]));
    mt_jw_keyz(w, "label");
    add_text(w, g->label);
    mt_jw_keyz(w, "name");
    add_text(w, g->name);
    mt_jw_keyz(w, "parent");
    add_group_name(w, p, g->parent);
    add_persona(w, p, g->persona);
    add_texts(w, g->tooltip);
    mt_jw_end_object(w);
}

static void add_node(mt_jw *w, const mt_picture *p, const mt_picture_node *n)
{
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "faded", n->faded);
    mt_jw_keyz(w, "group");
    add_group_name(w, p, n->group);
    mt_jw_keyz(w, "label");
    add_text(w, n->label);
    mt_jw_keyz(w, "name");
    add_text(w, n->name);
    add_persona(w, p, n->persona);
    mt_jw_key_str(w, "role", mt_str_z(mt_role_name(n->role)));
    add_seen(w, n->seen);
    add_texts(w, n->tooltip);
    mt_jw_end_object(w);
}

static void add_colours(mt_jw *w, const mt_colours *c)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "fill", mt_str_z(c->fill));
    mt_jw_key_str(w, "line", mt_str_z(c->line));
    mt_jw_end_object(w);
}

static void add_personas(mt_jw *w, const mt_picture *p)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < p->personas.len; i++) {
        const mt_paint *paint = &MT_PALETTE[i % MT_PALETTE_COUNT];
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "dark");
        add_colours(w, &paint->dark);
        mt_jw_keyz(w, "light");
        add_colours(w, &paint->light);
        mt_jw_keyz(w, "name");
        add_text(w, p->personas.entries[i].key);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

void mt_picture_json(mt_buf *out, const mt_picture *p)
{
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "edges");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < p->edges.len; i++) {
        add_edge(&w, p, &p->edges.items[i]);
    }
    mt_jw_end_array(&w);
    mt_jw_keyz(&w, "groups");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < p->groups.len; i++) {
        add_group(&w, p, &p->groups.items[i]);
    }
    mt_jw_end_array(&w);
    mt_jw_keyz(&w, "nodes");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < p->nodes.len; i++) {
        add_node(&w, p, &p->nodes.items[i]);
    }
    mt_jw_end_array(&w);
    mt_jw_keyz(&w, "personas");
    add_personas(&w, p);
    mt_jw_keyz(&w, "title");
    add_text(&w, p->title);
    mt_jw_key_i64(&w, "version", 1);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}
