#include "lsp/server.h"

void ls_refuse(ls_call *c, int code, mt_str message)
{
    c->fault = code;
    c->message = message;
}

static void send(mt_buf *out, const mt_buf *body)
{
    mt_buf_addf(out, "Content-Length: %zu\r\n\r\n", body->len);
    mt_buf_adds(out, mt_buf_str(body));
}

void ls_notify(mt_buf *out, const char *name, const mt_buf *params)
{
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "jsonrpc", MT_STR("2.0"));
    mt_jw_key_str(&w, "method", mt_str_z(name));
    mt_jw_keyz(&w, "params");
    mt_jw_raw(&w, mt_buf_str(params));
    mt_jw_end_object(&w);
    send(out, &body);
    mt_buf_free(&body);
}

void ls_request(ls_server *s, mt_buf *out, const char *name)
{
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "id", ++s->asked);
    mt_jw_key_str(&w, "jsonrpc", MT_STR("2.0"));
    mt_jw_key_str(&w, "method", mt_str_z(name));
    mt_jw_end_object(&w);
    send(out, &body);
    mt_buf_free(&body);
}

void ls_answer_error(mt_buf *out, const mt_json *id, int code, mt_str message)
{
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "error");
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "code", code);
    mt_jw_key_str(&w, "message", message);
    mt_jw_end_object(&w);
    mt_jw_keyz(&w, "id");
    if (id) {
        mt_jw_json(&w, id);
    } else {
        mt_jw_null(&w);
    }
    mt_jw_key_str(&w, "jsonrpc", MT_STR("2.0"));
    mt_jw_end_object(&w);
    send(out, &body);
    mt_buf_free(&body);
}

void ls_answer(mt_buf *out, const mt_json *id, const mt_buf *result)
{
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "id");
    mt_jw_json(&w, id);
    mt_jw_key_str(&w, "jsonrpc", MT_STR("2.0"));
    mt_jw_keyz(&w, "result");
    mt_jw_raw(&w, result->len ? mt_buf_str(result) : MT_STR("null"));
    mt_jw_end_object(&w);
    send(out, &body);
    mt_buf_free(&body);
}
