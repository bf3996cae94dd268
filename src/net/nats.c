/* net/nats.c - see nats.h. */
#include "net/nats.h"

#include "net/durable_wire.h"

enum {
    LIBRARY_BYTES = 1 /* the least it takes of what is published while it is away */
};

mt_err nt_nats_ready(const char *room, mt_buf *why)
{
    if (!nt_is_name(mt_str_z(room))) {
        mt_buf_addz(why, "a room is named with letters, digits, '_' and '-'");
        return MT_E_USAGE;
    }
    const char *missing = mt_late_load(&mt_late_nats);
    if (missing) {
        mt_buf_addz(why, missing);
        return MT_E_IO;
    }
    return MT_OK;
}

natsStatus nt_nats_options(natsOptions *options, const char *url)
{
    natsStatus s = natsOptions_SetURL(options, url);
    s = s ? s : natsOptions_SetTimeout(options, NT_NATS_CONNECT_MS);
    s = s ? s : natsOptions_SetMaxReconnect(options, -1);
    s = s ? s : natsOptions_SetReconnectWait(options, NT_NATS_RECONNECT_MS);
    s = s ? s : natsOptions_SetReconnectBufSize(options, LIBRARY_BYTES);
    if (!s && strncmp(url, "tls://", 6) == 0) {
        s = natsOptions_SetSecure(options, true);
    }
    return s;
}
