/* adapter/grpc.c - facts from unary gRPC calls.
 *
 * The layout of messages comes from the .proto file (or descriptor set) that the
 * configuration names; transfers, credentials, the gate and TLS are those of http.c,
 * over HTTP/2. A path `bank.v1.Accounts/Get/{id}.account.balance` calls Get with {id}
 * in the request's field `id` and takes account.balance of the answer; settings may say
 * method, request and select themselves. All names are checked against the schema when
 * the adapters are opened.
 *
 * Order of an answer: HTTP status, content type, grpc-status (trailers, or headers when
 * there is nothing else), then exactly one message that is not compressed. Everything
 * that differs is an error with a name. Calls with the same request share one. */
#include "adapter/impl.h"
#include "os/file.h"
#include "proto/message.h"

enum { FRAME = 5, MOST_TOLD = 200 };

/* ---- Opening ---- */

/* A bare host:port means TLS, since nobody said otherwise. */
mt_str ad_grpc_url(mt_arena *a, mt_str endpoint)
{
    while (mt_str_ends(endpoint, MT_STR("/"))) {
        endpoint.len--;
    }
    bool bare = endpoint.len && !strstr(mt_str_dup(a, endpoint).ptr, "://");
    return bare ? mt_strf(a, "https://%.*s", MT_ARG(endpoint))
                : mt_str_dup(a, endpoint);
}

/* Imports are looked for below one directory, and pb_read() refuses names that lead out
 * of it. */
static mt_err load_import(void *state, mt_arena *a, mt_str name, mt_str *text)
{
    const mt_str *root = state;
    mt_str path = mt_strf(a, "%.*s/%.*s", MT_ARG(*root), MT_ARG(name));
    return os_read_file(a, path.ptr, PB_MOST_BYTES, text);
}

static bool read_schema(ad_opening *o, ad_source *s)
{
    mt_arena *a = &o->adapters->arena;
    mt_str text, root = s->proto_root;
    mt_buf why = {0};
    if (!root.len) {
        mt_str base = mt_str_basename(s->proto);
        root = mt_str_from(s->proto.ptr, s->proto.len - base.len);
        root = root.len ? mt_str_dup(a, root) : MT_STR(".");
    }
    mt_err err = os_read_file(a, s->proto.ptr, PB_MOST_BYTES, &text);
    if (err) {
        mt_buf_addz(&why, mt_err_text(err));
    } else {
        err = pb_read(a, mt_str_basename(s->proto), text, load_import, &root, &why,
                      &s->schema);
    }
    bool good = !err || ad_source_fault(o, s, AD_F_SETTING,
                                        "the proto of source '%.*s', %.*s: %.*s",
                                        MT_ARG(s->decl->id), MT_ARG(s->proto),
                                        MT_ARG(mt_buf_str(&why)));
    mt_buf_free(&why);
    return good;
}

/* A file that only the contract names is not read for a contract of somebody else's. */
static bool choose_schema(ad_opening *o, ad_source *s)
{
    mt_str declared = mt_json_text(mt_json_at(&s->fields, "proto_ref"));
    if (s->proto.len) {
        return read_schema(o, s);
    }
    if (!declared.len || mt_str_find(declared, '\0') < declared.len) {
        return ad_source_fault(o, s, AD_F_SETTING,
                               "source '%.*s' needs proto: the .proto file or "
                               "descriptor set of its messages",
                               MT_ARG(s->decl->id));
    }
    if (o->adapters->options.gate) {
        return ad_source_refuse(
            o, s,
            "source '%.*s' names its proto_ref in the contract only: "
            "set proto of sources.%.*s",
            MT_ARG(s->decl->id), MT_ARG(s->decl->id));
    }
    s->proto = ad_beside(o, declared);
    return read_schema(o, s);
}

bool ad_grpc_set_up(ad_opening *o, ad_source *s)
{
    return ad_http_set_up(o, s) && (s->refused.len || choose_schema(o, s));
}

/* ---- What a fact asks for ---- */

static bool fault(ad_opening *o, const ad_fact_plan *p, const char *what, mt_str name)
{
    return ad_fact_fault(o, p, AD_F_FACT, "fact '%.*s': %s '%.*s'", MT_ARG(p->fact->id),
                         what, MT_ARG(name));
}

typedef struct way {
    mt_str method;
    mt_buf select;
    mt_buf request; /* JSON: {"id":"{id}"} */
} way;

/* The method is what stands around the slash; of the rest {name} goes into the request,
 * names lead into the answer. */
static void split_path(mt_str path, bool has_method, way *w)
{
    size_t slash = mt_str_find(path, '/');
    if (!has_method && slash < path.len) {
        size_t end = slash + 1;
        while (end < path.len && !strchr("./{", path.ptr[end])) {
            end++;
        }
        w->method = mt_str_from(path.ptr, end);
        path = mt_str_skip(path, end);
    }
    while (path.len) {
        size_t end = 0;
        while (end < path.len && path.ptr[end] != '.' && path.ptr[end] != '/') {
            end++;
        }
        mt_str step = mt_str_from(path.ptr, end);
        path = mt_str_skip(path, end + 1);
        if (mt_str_starts(step, MT_STR("{")) && mt_str_ends(step, MT_STR("}"))) {
            mt_buf_addz(&w->request, w->request.len ? "," : "");
            mt_json_quote(&w->request, mt_str_from(step.ptr + 1, step.len - 2));
            mt_buf_addc(&w->request, ':');
            mt_json_quote(&w->request, step);
        } else if (step.len) {
            mt_buf_addz(&w->select, w->select.len ? "." : "");
            mt_buf_adds(&w->select, step);
        }
    }
}

/* Every key must be a field. The texts may have {name}s, which become names of the
 * plan. */
static bool check_request(ad_opening *o, ad_fact_plan *p, const pb_message *m,
                          const mt_json *node)
{
    ad_template ignored;
    bool good = true;
    if (mt_json_is(node, MT_JSON_STRING)) {
        return ad_template_parse(&o->adapters->arena, mt_json_text(node), &p->names,
                                 &ignored) ||
               fault(o, p, "a brace is not closed in", mt_json_text(node));
    }
    for (uint32_t i = 0; good && mt_json_is(node, MT_JSON_ARRAY) && i < node->count;
         i++) {
        good = check_request(o, p, m, &node->as.items[i]);
    }
    for (uint32_t i = 0; good && mt_json_is(node, MT_JSON_OBJECT) && i < node->count;
         i++) {
        const mt_json_member *member = &node->as.members[i];
        const pb_field *f = m ? pb_field_find(m, member->key) : NULL;
        if (m && !f) {
            return fault(o, p, "the request's message has no field", member->key);
        }
        bool open = f && f->message && !pb_is_map(f) && !pb_known_of(f->message);
        good = check_request(o, p, open ? f->message : NULL, &member->value);
    }
    return good;
}

static mt_str dot_first(mt_str *rest)
{
    size_t dot = mt_str_find(*rest, '.');
    mt_str step = mt_str_from(rest->ptr, dot);
    *rest = mt_str_skip(*rest, dot + 1);
    return step;
}

/* The way into the answer in the names of the file; what is behind a map or a Struct is
 * for the answer to say. */
static bool check_select(ad_opening *o, ad_fact_plan *p, const pb_message *m,
                         mt_str text)
{
    mt_buf named = {0};
    mt_str rest = text;
    bool item = false, good = true;
    while (good && rest.len) {
        mt_str step = dot_first(&rest);
        if (m && !item) {
            const pb_field *f = pb_field_find(m, step);
            if (!f) {
                good = fault(o, p, "the answer's message has no field", step);
                break;
            }
            step = f->name;
            item = f->repeated;
            bool open = f->message && !pb_is_map(f) && !pb_known_of(f->message);
            m = open ? f->message : NULL;
        } else {
            item = false;
        }
        mt_buf_addz(&named, named.len ? "." : "");
        mt_buf_adds(&named, step);
    }
    mt_str select = mt_str_dup(&o->adapters->arena, mt_buf_str(&named));
    mt_buf_free(&named);
    return good &&
           (ad_selector_parse(&o->adapters->arena, select, &p->names, &p->select) ||
            fault(o, p, "the way into the answer is malformed:", text));
}

static bool plan_call(ad_opening *o, const ad_source *s, ad_fact_plan *p, const way *w)
{
    mt_arena *a = &o->adapters->arena;
    mt_str method = p->resource_text.len ? p->resource_text : w->method;
    const pb_method *m = method.len ? pb_method_find(s->schema, method) : NULL;
    if (!m) {
        return fault(o, p, "the proto has no single method Service/Method called",
                     method);
    }
    if (m->streams) {
        return fault(o, p,
                     "a fact is asked for by one message and one answer, but this "
                     "method streams:",
                     method);
    }
    if (!p->request) {
        mt_json *request = mt_new(a, mt_json);
        mt_str text = mt_strf(a, "{%.*s}", MT_ARG(mt_buf_str(&w->request)));
        if (mt_json_read(a, text, NULL, request, NULL)) {
            return fault(o, p, "a {name} occurs twice in the path", p->path_text);
        }
        p->request = request;
    }
    p->method = m;
    mt_str select = p->select_text.len ? p->select_text : mt_buf_str(&w->select);
    return check_request(o, p, m->input, p->request) &&
           check_select(o, p, m->output, select);
}

bool ad_grpc_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p)
{
    way w = {0};
    if (s->refused.len) {
        return true;
    }
    split_path(p->path_text, p->resource_text.len > 0, &w);
    bool good = plan_call(o, s, p, &w);
    mt_buf_free(&w.select);
    mt_buf_free(&w.request);
    return good;
}

/* ---- Asking ---- */

/* The request with every {name} filled in. The names are known to the plan already, so
 * parsing the texts again changes nothing in it. */
static mt_json filled(ad_fetching *f, const ad_question *q, const mt_json *node)
{
    mt_json out = *node;
    if (mt_json_is(node, MT_JSON_STRING)) {
        ad_template t;
        ad_names names = q->plan->names;
        mt_buf text = {0};
        MT_ASSERT(ad_template_parse(f->arena, mt_json_text(node), &names, &t));
        ad_template_fill(&text, &t, q->values);
        mt_str copy = mt_str_dup(f->arena, mt_buf_str(&text));
        out.as.text = copy.ptr;
        out.count = (uint32_t)copy.len;
        mt_buf_free(&text);
    } else if (mt_json_is(node, MT_JSON_ARRAY)) {
        mt_json *items = mt_new_array(f->arena, mt_json, node->count + 1);
        for (uint32_t i = 0; i < node->count; i++) {
            items[i] = filled(f, q, &node->as.items[i]);
        }
        out.as.items = items;
    } else if (mt_json_is(node, MT_JSON_OBJECT)) {
        mt_json_member *members =
            mt_new_array(f->arena, mt_json_member, node->count + 1);
        for (uint32_t i = 0; i < node->count; i++) {
            members[i] = (mt_json_member){node->as.members[i].key,
                                          filled(f, q, &node->as.members[i].value)};
        }
        out.as.members = members;
    }
    return out;
}

/* One frame: not compressed, its length in four bytes, the message. */
static mt_str frame_of(mt_arena *a, mt_str message)
{
    mt_buf b = {0};
    mt_buf_addc(&b, 0);
    for (int shift = 24; shift >= 0; shift -= 8) {
        mt_buf_addc(&b, (char)(message.len >> shift & 0xff));
    }
    mt_buf_adds(&b, message);
    mt_str copy = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return copy;
}

static void ask_one(ad_fetching *f, ad_source *s, ad_question *q)
{
    mt_buf message = {0}, why = {0};
    const pb_method *m = q->plan->method;
    mt_json request = filled(f, q, q->plan->request);
    if (pb_encode(&message, m->input, &request, &why)) {
        ad_answer_error(f, q, AD_FACT_PARAM_REFUSED, "the request of fact '%.*s': %.*s",
                        MT_ARG(q->plan->fact->id), MT_ARG(mt_buf_str(&why)));
    } else {
        mt_str url = mt_strf(f->arena, "%.*s/%.*s/%.*s", MT_ARG(s->base_url),
                             MT_ARG(m->service), MT_ARG(m->name));
        ad_http_post(f, s, q, url, frame_of(f->arena, mt_buf_str(&message)));
    }
    mt_buf_free(&message);
    mt_buf_free(&why);
}

void ad_grpc_ask(ad_fetching *f, ad_source *s, ad_question **qs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ask_one(f, s, qs[i]);
    }
    ad_http_start(f, s);
}

/* ---- The answer ---- */

/* The last line of that name among headers and trailers; ptr NULL. */
static mt_str header_of(mt_str head, const char *name)
{
    mt_str found = {0}, wanted = mt_str_z(name);
    while (head.len) {
        size_t end = mt_str_find(head, '\n');
        mt_str line = mt_str_trim(mt_str_from(head.ptr, end), MT_STR("\r"));
        size_t colon = mt_str_find(line, ':');
        if (colon == wanted.len && !strncasecmp(line.ptr, name, colon)) {
            found = mt_str_trim(mt_str_skip(line, colon + 1), MT_STR(" \t"));
        }
        head = mt_str_skip(head, end + 1);
    }
    return found;
}

static bool is_grpc(mt_str type)
{
    mt_str rest = mt_str_skip(type, 16);
    return mt_str_starts(type, MT_STR("application/grpc")) &&
           (!rest.len || rest.ptr[0] == '+' || rest.ptr[0] == ';');
}

/* The statuses of gRPC as faults of a fact. */
static const struct {
    const char *name;
    ad_fact_error error;
} STATUSES[] = {
    {"OK", AD_FACT_MALFORMED},
    {"CANCELLED", AD_FACT_STATUS},
    {"UNKNOWN", AD_FACT_STATUS},
    {"INVALID_ARGUMENT", AD_FACT_REFUSED},
    {"DEADLINE_EXCEEDED", AD_FACT_TIMEOUT},
    {"NOT_FOUND", AD_FACT_NOT_FOUND},
    {"ALREADY_EXISTS", AD_FACT_STATUS},
    {"PERMISSION_DENIED", AD_FACT_REFUSED},
    {"RESOURCE_EXHAUSTED", AD_FACT_REFUSED},
    {"FAILED_PRECONDITION", AD_FACT_REFUSED},
    {"ABORTED", AD_FACT_STATUS},
    {"OUT_OF_RANGE", AD_FACT_REFUSED},
    {"UNIMPLEMENTED", AD_FACT_REFUSED},
    {"INTERNAL", AD_FACT_STATUS},
    {"UNAVAILABLE", AD_FACT_UNREACHABLE},
    {"DATA_LOSS", AD_FACT_STATUS},
    {"UNAUTHENTICATED", AD_FACT_REFUSED},
};
enum { STATUS_COUNT = sizeof STATUSES / sizeof *STATUSES };

/* What the server says of it is percent-encoded, and nobody's word but its own. */
static void refuse_status(ad_job *job, unsigned status, mt_str told)
{
    mt_buf shown = {0};
    for (size_t i = 0; i < told.len && shown.len < MOST_TOLD; i++) {
        unsigned byte = (unsigned char)told.ptr[i];
        unsigned char decoded;
        if (byte == '%' && i + 2 < told.len &&
            mt_unhex(mt_str_from(told.ptr + i + 1, 2), &decoded, 1)) {
            byte = decoded;
            i += 2;
        }
        mt_buf_addc(&shown, (char)(byte < ' ' || byte > '~' ? '?' : byte));
    }
    ad_answer_all(job, STATUSES[status].error, "source '%.*s' answered %s%s%.*s",
                  MT_ARG(job->source->decl->id), STATUSES[status].name,
                  shown.len ? ": " : "", MT_ARG(mt_buf_str(&shown)));
    mt_buf_free(&shown);
}

static void malformed(ad_job *job, const char *what)
{
    ad_answer_all(job, AD_FACT_MALFORMED, "the answer of source '%.*s' %s",
                  MT_ARG(job->source->decl->id), what);
}

/* False after saying why it is not one plain message. */
static bool unframe(ad_job *job, mt_str body, mt_str *message)
{
    const unsigned char *b = (const unsigned char *)body.ptr;
    if (body.len < FRAME) {
        malformed(job, body.len ? "is cut short" : "has no message");
        return false;
    }
    size_t len = (size_t)b[1] << 24 | (size_t)b[2] << 16 | (size_t)b[3] << 8 | b[4];
    if (b[0]) {
        malformed(job, "is compressed, which nobody asked for");
        return false;
    }
    if (len > body.len - FRAME) {
        malformed(job, "is cut short");
        return false;
    }
    if (len < body.len - FRAME) {
        malformed(job, "has more than one message");
        return false;
    }
    *message = mt_str_skip(body, FRAME);
    return true;
}

/* ---- Values as facts are written ---- */

static mt_json fitted(mt_arena *a, const ct_type *type, const mt_json *v);

static mt_json text_node(mt_json_type type, mt_str text)
{
    return (mt_json){
        .type = (uint8_t)type, .count = (uint32_t)text.len, .as.text = text.ptr};
}

/* google.type.Money: units and billionths, of one sign. */
static bool money_of(mt_arena *a, const mt_json *v, mt_json *out)
{
    mt_str code = mt_json_text(mt_json_at(v, "currency_code"));
    mt_str units = mt_json_text(mt_json_at(v, "units"));
    int64_t nanos;
    if (!code.len || !units.len || mt_json_i64(mt_json_at(v, "nanos"), &nanos)) {
        return false;
    }
    bool minus = nanos < 0 || units.ptr[0] == '-';
    units = units.ptr[0] == '-' ? mt_str_skip(units, 1) : units;
    mt_str amount = mt_strf(a, "%s%.*s.%09lld", minus ? "-" : "", MT_ARG(units),
                            (long long)(nanos < 0 ? -nanos : nanos));
    while (amount.ptr[amount.len - 1] == '0' && amount.ptr[amount.len - 3] != '.') {
        amount.len--;
    }
    mt_json_member *members = mt_new_array(a, mt_json_member, 2);
    members[0] = (mt_json_member){MT_STR("amount"), text_node(MT_JSON_STRING, amount)};
    members[1] = (mt_json_member){MT_STR("currency"), text_node(MT_JSON_STRING, code)};
    *out = (mt_json){.type = MT_JSON_OBJECT, .count = 2, .as.members = members};
    return true;
}

/* google.type.Date */
static bool date_of(mt_arena *a, const mt_json *v, mt_json *out)
{
    int64_t year, month, day;
    if (mt_json_i64(mt_json_at(v, "year"), &year) ||
        mt_json_i64(mt_json_at(v, "month"), &month) ||
        mt_json_i64(mt_json_at(v, "day"), &day)) {
        return false;
    }
    *out = text_node(MT_JSON_STRING, mt_strf(a, "%04lld-%02lld-%02lld", (long long)year,
                                             (long long)month, (long long)day));
    return true;
}

/* "90s" in the unit of the fact, if it is a whole number of it. */
static bool span_of(mt_arena *a, const ct_type *type, const mt_json *v, mt_json *out)
{
    mt_str text = mt_json_text(v);
    int64_t seconds, unit = CT_UNIT_SECONDS[type->unit];
    mt_json number = text_node(MT_JSON_NUMBER, mt_str_from(text.ptr, text.len - 1));
    if (!mt_str_ends(text, MT_STR("s")) || text.len < 2 ||
        mt_str_find(text, '.') < text.len || mt_json_i64(&number, &seconds) ||
        seconds % unit) {
        return false;
    }
    *out = text_node(MT_JSON_NUMBER, mt_strf(a, "%lld", (long long)(seconds / unit)));
    return true;
}

static mt_json record_of(mt_arena *a, const ct_type *type, const mt_json *v)
{
    mt_json out = *v;
    mt_json_member *members = mt_new_array(a, mt_json_member, v->count + 1);
    for (uint32_t i = 0; i < v->count; i++) {
        const mt_json_member *m = &v->as.members[i];
        uint32_t field = ct_field_find(type, m->key);
        members[i] = *m;
        if (field != CT_NONE) {
            members[i].value = fitted(a, type->as.fields[field].type, &m->value);
        }
    }
    out.as.members = members;
    return out;
}

static mt_json list_of(mt_arena *a, const ct_type *type, const mt_json *v)
{
    mt_json out = *v;
    mt_json *items = mt_new_array(a, mt_json, v->count + 1);
    for (uint32_t i = 0; i < v->count; i++) {
        items[i] = fitted(a, type->as.list.element, &v->as.items[i]);
    }
    out.as.items = items;
    return out;
}

/* Whole numbers of 64 bits are text in JSON; an Int wants the number. What fits nothing
 * stays as it is, for the engine to judge. */
static mt_json fitted(mt_arena *a, const ct_type *type, const mt_json *v)
{
    mt_json out = *v;
    if (mt_json_is(v, MT_JSON_OBJECT)) {
        if (ct_held(type) == LN_RECORD) {
            return record_of(a, type, v);
        }
        if (ct_has(type, LN_CURRENCY)) {
            money_of(a, v, &out);
        } else if (ct_is_day(type)) {
            date_of(a, v, &out);
        }
    } else if (mt_json_is(v, MT_JSON_ARRAY) && ct_held(type) == LN_LIST) {
        return list_of(a, type, v);
    } else if (mt_json_is(v, MT_JSON_STRING) && ct_has(type, LN_UNIT) &&
               span_of(a, type, v, &out)) {
        return out;
    } else if (mt_json_is(v, MT_JSON_STRING) &&
               (ct_is_int(type) || ct_has(type, LN_UNIT))) {
        ct_type whole = ct_int_type(INT64_MIN, INT64_MAX);
        mt_str json = ad_shape_text(a, &whole, mt_json_text(v));
        if (json.len && json.ptr[0] != '"') {
            out.type = MT_JSON_NUMBER;
        }
    }
    return out;
}

static void read_message(ad_job *job, mt_str body)
{
    ad_fetching *f = job->fetching;
    mt_json root;
    mt_str message;
    const char *why;
    if (!unframe(job, body, &message)) {
        return;
    }
    mt_err err = pb_decode(f->arena, job->questions[0]->plan->method->output, message,
                           &root, &why);
    if (err) {
        ad_answer_all(job, err == MT_E_LIMIT ? AD_FACT_TOO_LARGE : AD_FACT_MALFORMED,
                      "the answer of source '%.*s': %s", MT_ARG(job->source->decl->id),
                      why);
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        ad_question *q = job->questions[i];
        const mt_json *at = ad_select(&root, &q->plan->select, q->values);
        mt_json value = {.type = MT_JSON_NULL};
        if (at) { /* a conversion begins with what came */
            value = q->plan->convert ? *at : fitted(f->arena, q->plan->fact->type, at);
        }
        ad_answer_json(f, q, at ? &value : NULL, body);
    }
}

void ad_grpc_read(ad_job *job, const ad_reply *r)
{
    mt_str status = header_of(r->head, "grpc-status");
    unsigned code = 0;
    for (size_t i = 0; i < status.len; i++) {
        unsigned digit = (unsigned)status.ptr[i] - '0';
        code = digit < 10 && code < 100 ? code * 10 + digit : 100;
    }
    if (!r->is_http2) {
        malformed(job, "did not come over HTTP/2");
    } else if (!status.len && r->status != 200) {
        ad_answer_all(job, AD_FACT_STATUS, "source '%.*s' answered with status %ld",
                      MT_ARG(job->source->decl->id), r->status);
    } else if (r->status != 200 || !is_grpc(header_of(r->head, "content-type"))) {
        malformed(job, "is not gRPC");
    } else if (!status.len || code >= STATUS_COUNT) {
        malformed(job,
                  status.len ? "has an unknown grpc-status" : "has no grpc-status");
    } else if (code) {
        refuse_status(job, code, header_of(r->head, "grpc-message"));
    } else {
        read_message(job, r->body);
    }
}
