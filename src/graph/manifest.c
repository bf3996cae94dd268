#include "graph/manifest.h"

const char *gr_kind_name(gr_kind kind)
{
    static const char *const NAMES[] = {
        [GR_SOURCE] = "source",
        [GR_COMPUTE] = "compute",
        [GR_TRIGGER] = "trigger",
        [GR_ACTION] = "action",
    };
    MT_TABLE_COVERS(NAMES, GR_ACTION + 1);
    return NAMES[kind];
}

const char *gr_kind_title(gr_kind kind)
{
    static const char *const NAMES[] = {
        [GR_SOURCE] = "Source",
        [GR_COMPUTE] = "Compute",
        [GR_TRIGGER] = "Trigger",
        [GR_ACTION] = "Action",
    };
    MT_TABLE_COVERS(NAMES, GR_ACTION + 1);
    return NAMES[kind];
}

static int port_index(const gr_port *ports, uint32_t count, mt_str name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (mt_str_eq(ports[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}

int gr_input_index(const gr_manifest *m, mt_str name)
{
    return port_index(m->inputs, m->input_count, name);
}

int gr_output_index(const gr_manifest *m, mt_str name)
{
    return port_index(m->outputs, m->output_count, name);
}

int gr_param_index(const gr_manifest *m, mt_str name)
{
    for (uint32_t i = 0; i < m->param_count; i++) {
        if (mt_str_eq(m->params[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}

/* Lower case, digits and underscores, so that an id can be a file name everywhere. */
bool gr_id_ok(mt_str id)
{
    for (size_t i = 0; i < id.len; i++) {
        char c = id.ptr[i];
        bool letter = c >= 'a' && c <= 'z';
        if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '_'))) {
            return false;
        }
    }
    return id.len > 0;
}

/* An action is its effects; a source with one origin must have all. */
bool gr_manifest_says(const gr_manifest *m)
{
    bool says = m->kind == GR_ACTION || m->expression.len || m->body.len;
    for (uint32_t i = 0; i < m->output_count; i++) {
        says = says || (m->kind == GR_SOURCE && m->outputs[i].from.len);
    }
    return says;
}
