/* port/wasm/page.h - what a page answers when it is called.
 * Room: port. `user` is the number by which the page knows whose call it is. */
#ifndef PORT_WASM_PAGE_H
#define PORT_WASM_PAGE_H

#include "motet.h"

#define PAGE(name) __attribute__((import_module("motet"), import_name(name)))

/* The text of a file; a status. Texts of the page are good until it is called again. */
PAGE("read")
int page_read(uintptr_t user, const motet_str *path, motet_str *text);

#endif
