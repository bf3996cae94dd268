/* Names as words: how they are split, and how alike they are. */
#include "../rows.h"

#include "connect/words.h"

static mt_arena arena;

static const struct split_row {
    const char *name, *text, *snake;
} SPLITS[] = {
    {"snake_case", "order_total", "order_total"},
    {"camelCase", "orderTotal", "order_total"},
    {"PascalCase", "OrderTotal", "order_total"},
    {"kebab-case", "order-total", "order_total"},
    {"capitals together", "HTTPStatus", "http_status"},
    {"capitals at the end", "customerID", "customer_id"},
    {"digits are apart", "line2text", "line_2_text"},
    {"shouting", "ORDER_TOTAL", "order_total"},
    {"signs only", "__", ""},
    {"nothing", "", ""},
};

static void is_split(void **state)
{
    const struct split_row *row = *state;
    mt_str text = fenced(mt_str_z(row->text));
    assert_text(cn_snake(&arena, text), mt_str_z(row->snake));
    fenced_free(text);
}

static const struct alike_row {
    const char *name, *a, *b;
    unsigned covered; /* of a in b */
} ALIKE[] = {
    {"the same words in another order", "order_total", "totalOrder", 1000},
    {"a plural is the same", "entries", "entry", 1000},
    {"a synonym is less", "amount", "total", 800},
    {"an abbreviation is less", "cust", "customization", 700},
    {"a plural has the synonyms of its word", "orders", "purchases", 800},
    {"three letters are an abbreviation", "pro", "product", 700},
    {"that leaves out two", "prod", "produc", 700},
    {"one letter left out is a slip", "produc", "product", 650},
    {"a slip is less", "balance", "ballance", 650},
    {"half of it", "order_weight", "order_colour", 500},
    {"noise says little", "is_paid", "paid", 869},
    {"other words are nothing", "weight", "colour", 0},
    {"short words are not stretched", "at", "attempt", 0},
};

static void is_alike(void **state)
{
    const struct alike_row *row = *state;
    cn_words a = {0}, b = {0};
    cn_words_add(&arena, &a, mt_str_z(row->a));
    cn_words_add(&arena, &b, mt_str_z(row->b));
    assert_int_equal(cn_covered(&a, &b), row->covered);
}

static const struct one_row {
    const char *name, *many, *one;
} ONES[] = {
    {"entries", "entries", "entry"},
    {"ties are short", "ties", "tie"},
    {"addresses", "addresses", "address"},
    {"statuses", "statuses", "status"},
    {"boxes", "boxes", "box"},
    {"orders", "orders", "order"},
    {"one stays one", "order", "order"},
};

static void is_one(void **state)
{
    const struct one_row *row = *state;
    mt_str many = fenced(mt_str_z(row->many));
    assert_text(cn_singular(&arena, many), mt_str_z(row->one));
    fenced_free(many);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ONES, is_one);
    rows_add(&list, SPLITS, is_split);
    rows_add(&list, ALIKE, is_alike);
    int failed = rows_run(&list, "connect/words");
    mt_arena_free(&arena);
    return failed;
}
