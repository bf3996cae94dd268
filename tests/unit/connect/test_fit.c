/* Which values may become facts of which types, and by which conversion. */
#include "connect_fixture.h"

#include "connect/fit.h"

static mt_arena arena;

#define EUR              "Money(currency: \"EUR\")"
#define INT              "Int(0, 9)"
#define DEC              "Decimal(10, 2)"
#define TEXT             "Text(max_length: 9)"
#define HOURS            "Duration(unit: \"hours\", min: 0, max: 9)"
#define STATE            "Enum([\"open\", \"paid\", \"late\"])"
#define ITEM             "Record { sku: " TEXT " count: " INT " }"
#define WHOLE            "{'type':'integer'}"
#define REAL             "{'type':'number'}"
#define WORD             "{'type':'string'}"
#define TRUTH            "{'type':'boolean'}"
#define WORDS(list)      "{'type':'string','enum':[" list "]}"
#define OF(members)      "{'properties':{" members "}}"
#define FORM(name)       "{'type':'string','format':'" name "'}"
#define SAID(type, note) "{'type':'" type "','description':'" note "'}"
#define LIST(of)         "{'type':'array','items':" of "}"

/* clang-format off */
/* `schema` in OpenAPI, with ' for "; NULL: `member` is a column with its type. */
static const struct found_row {
    const char *name, *type, *member, *schema, *want;
} FOUND[] = {
    /* Truths. */
    {"a truth", "Bool", "x", TRUTH, "1000  true or false"},
    {"a column of 0 and 1", "Bool", "c int", NULL, "850  0 and 1"},
    {"a number is no truth", "Bool", "x", WHOLE, "0  a whole number cannot be the fact's type"},
    {"text is no truth", "Bool", "x", WORD, "0  text cannot be the fact's type"},
    {"Y and N", "Bool", "x", WORDS("'Y','N'"), "960 {'values':{'Y':true,'N':false}} two words for yes and no"},
    {"off and on", "Bool", "x", WORDS("'off','on'"), "960 {'values':{'off':false,'on':true}} two words for yes and no"},
    {"enabled and disabled", "Bool", "x", WORDS("'DISABLED','ENABLED'"),
     "960 {'values':{'DISABLED':false,'ENABLED':true}} two words for yes and no"},
    {"a third word", "Bool", "x", WORDS("'yes','no','late'"), "0  one of several words cannot be the fact's type"},
    {"two yeses", "Bool", "x", WORDS("'yes','on','no'"), "0  one of several words cannot be the fact's type"},
    {"the beginning of a word", "Bool", "x", WORDS("'ye','no'"), "0  one of several words cannot be the fact's type"},
    /* Spans. */
    {"an ISO duration", HOURS, "x", FORM("duration"), "960 {'unit':'iso8601'} an ISO 8601 duration"},
    {"a number without a unit", HOURS, "x", WHOLE, "850  a number, taken to be in the fact's unit"},
    {"the fact's unit in the name", HOURS, "wait_hours", WHOLE, "1000  in the fact's unit"},
    {"another unit in the name", HOURS, "waitSeconds", WHOLE, "920 {'unit':'seconds'} in another unit"},
    {"minutes", HOURS, "wait_min", WHOLE, "920 {'unit':'minutes'} in another unit"},
    {"days", HOURS, "days", WHOLE, "920 {'unit':'days'} in another unit"},
    {"the smaller of two units", HOURS, "wait", SAID("integer", "ms, not hours"),
     "920 {'unit':'milliseconds'} in another unit"},
    {"a unit in the note", HOURS, "wait", SAID("integer", "in hours"), "1000  in the fact's unit"},
    {"a unit inside a word", HOURS, "terms", WHOLE, "850  a number, taken to be in the fact's unit"},
    {"a fraction is no span", HOURS, "hours", REAL, "0  a number cannot be the fact's type"},
    /* Moments and days. */
    {"a moment", "DateTime", "x", FORM("date-time"), "1000  a moment or a day"},
    {"a day", "Date", "x", FORM("date"), "1000  a moment or a day"},
    {"a moment is no day", "Date", "x", FORM("date-time"), "0  a moment cannot be the fact's type"},
    {"a day is no moment", "DateTime", "x", FORM("date"), "0  a date cannot be the fact's type"},
    {"a moment without a zone", "DateTime", "c timestamp", NULL, "850  a moment without a zone, taken as UTC"},
    {"it is none in JSON", "DateTime", "x", FORM("local-date-time"),
     "0  a moment without a time zone cannot be the fact's type"},
    {"a moment with its zone", "DateTime", "c timestamp with time zone", NULL, "1000  a moment or a day"},
    {"milliseconds since 1970", "DateTime", "placedMs", WHOLE,
     "960 {'epoch':'milliseconds'} milliseconds since 1970"},
    {"seconds since 1970", "DateTime", "placed_at", WHOLE, "850 {'epoch':'seconds'} seconds since 1970"},
    {"a day from a number", "Date", "x", SAID("integer", "Unix time"), "850 {'epoch':'seconds'} seconds since 1970"},
    {"a count is no moment", "DateTime", "placed", WHOLE, "0  a whole number cannot be the fact's type"},
    {"nor is a fraction", "DateTime", "placed_at", REAL, "0  a number cannot be the fact's type"},
    /* Numbers and money. */
    {"a whole number", INT, "x", WHOLE, "1000  a number"},
    {"a fraction is not whole", INT, "x", REAL, "0  a number cannot be the fact's type"},
    {"cents in an Int stay", INT, "total_cents", WHOLE, "1000  a number"},
    {"a range that begins at the other's end", INT, "x", "{'type':'integer','minimum':9,'maximum':20}", "1000  a number"},
    {"one that begins behind it", INT, "x", "{'type':'integer','minimum':10,'maximum':20}",
     "0  a whole number cannot be the fact's type"},
    {"a range that ends at the other's begin", INT, "x", "{'type':'integer','minimum':-5,'maximum':0}", "1000  a number"},
    {"one that ends before it", INT, "x", "{'type':'integer','minimum':-5,'maximum':-1}",
     "0  a whole number cannot be the fact's type"},
    {"a whole number as text", INT, "x", FORM("int64"), "960 {'number':true} a whole number written as text"},
    {"a column is read as a number", INT, "c bigint", NULL, "1000  a number"},
    {"a decimal", DEC, "x", REAL, "1000  a number"},
    {"a decimal as text", DEC, "x", FORM("decimal"), "1000  a number"},
    {"minor units", DEC, "total_cents", WHOLE, "960 {'shift':-2} minor units, so the point is moved by two"},
    {"a fraction of cents", DEC, "total_cents", REAL, "1000  a number"},
    {"minor units in the note", EUR, "total", SAID("integer", "in minor units"),
     "960 {'shift':-2} minor units, so the point is moved by two"},
    {"a bare amount", EUR, "total", REAL, "950  an amount; its currency is the fact's"},
    {"an amount with its currency", EUR, "x", OF("'amount':" REAL ",'currency':" WORD),
     "1000  an amount with its currency"},
    {"under other names", EUR, "x", OF("'value':" REAL ",'ccy':" WORDS("'EUR'")),
     "960 {'money':{'amount':'value','currency':'ccy'}} an amount with its currency, under other names"},
    {"an amount under its name, a currency not", EUR, "x", OF("'amount':" REAL ",'code':" WORD),
     "960 {'money':{'amount':'amount','currency':'code'}} an amount with its currency, under other names"},
    {"a currency under its name, an amount not", EUR, "x", OF("'sum':" REAL ",'currency':" WORD),
     "960 {'money':{'amount':'sum','currency':'currency'}} an amount with its currency, under other names"},
    {"in minor units", EUR, "x", OF("'amountCents':" WHOLE ",'currency':" WORD),
     "960 {'money':{'amount':'amountCents','currency':'currency'},'shift':-2} an amount in minor units with its currency"},
    {"in minor units by the note", EUR, "x", OF("'amount':" SAID("integer", "cents") ",'currency':" WORD),
     "960 {'money':{'amount':'amount','currency':'currency'},'shift':-2} an amount in minor units with its currency"},
    {"a fraction is not in minor units", EUR, "cents", OF("'amount':" SAID("number", "cents") ",'currency':" WORD),
     "1000  an amount with its currency"},
    {"the object's name says no units", EUR, "cents", OF("'amount':" WHOLE ",'currency':" WORD),
     "1000  an amount with its currency"},
    {"the more telling name", EUR, "x", OF("'code':" WORD ",'sum':" WHOLE ",'total':" REAL ",'Currency':" WORD),
     "960 {'money':{'amount':'total','currency':'Currency'}} an amount with its currency, under other names"},
    {"an amount alone", EUR, "x", OF("'amount':" REAL), "0  an object cannot be the fact's type"},
    {"a currency alone", EUR, "x", OF("'currency':" WORD), "0  an object cannot be the fact's type"},
    {"an amount of words", EUR, "x", OF("'amount':" WORD ",'currency':" WORD), "0  an object cannot be the fact's type"},
    {"a currency of numbers", EUR, "x", OF("'amount':" REAL ",'currency':" REAL), "0  an object cannot be the fact's type"},
    {"an object is no decimal", DEC, "x", OF("'amount':" REAL ",'currency':" WORD), "0  an object cannot be the fact's type"},
    /* Words. */
    {"the same words", STATE, "x", WORDS("'late','open','paid'"), "1000  the same words"},
    {"the same words and one that means nothing", STATE, "x", WORDS("'unknown','open','paid','late'"),
     "1000  the same words"},
    {"other letters", STATE, "x", WORDS("'OPEN','PAID','LATE'"),
     "960 {'values':{'OPEN':'open','PAID':'paid','LATE':'late'}} other words for the same"},
    {"what all begin with says nothing", STATE, "x", WORDS("'STATE_NONE','STATE_OPEN','STATE_PAID','STATE_LATE'"),
     "960 {'values':{'STATE_OPEN':'open','STATE_PAID':'paid','STATE_LATE':'late'}} other words for the same"},
    {"a word more", STATE, "x", WORDS("'open','paid','late','gone'"),
     "895  some of the words have no counterpart in the fact"},
    {"a word less", STATE, "x", WORDS("'open','paid'"), "1000  the same words"},
    {"two words for one", STATE, "x", WORDS("'open','settled','PAID'"),
     "873 {'values':{'open':'open','settled':'paid','PAID':'paid'}} other words for the same"},
    {"a single word of three", STATE, "x", WORDS("'open','gone'"), "0  its words are others than the fact's"},
    {"two fifths of them", "Enum([\"a\", \"b\", \"c\", \"d\", \"e\"])", "x", WORDS("'a','b','x','y','z'"),
     "804  some of the words have no counterpart in the fact"},
    {"more than that is asked", "Enum([\"a\", \"b\", \"c\", \"d\", \"e\"])", "x", WORDS("'a','b','x','y','z','w'"),
     "0  its words are others than the fact's"},
    {"a word that is all of another's beginning", STATE, "x", WORDS("'open','open_late','open_paid'"),
     "0  its words are others than the fact's"},
    {"any text", STATE, "x", WORD, "700  any text, of which only the fact's words pass"},
    {"a number is no word", STATE, "x", WHOLE, "0  a whole number cannot be the fact's type"},
    /* The rest. */
    {"text", TEXT, "x", WORD, "1000  the same kind of value"},
    {"text as long as the fact's", TEXT, "x", "{'type':'string','maxLength':9}", "1000  the same kind of value"},
    {"longer text", TEXT, "x", "{'type':'string','maxLength':10}", "950  text that may be longer than the fact's"},
    {"a word is text", TEXT, "x", WORDS("'a','b'"), "1000  the same kind of value"},
    {"a day as text", TEXT, "x", FORM("date"), "700  its notation as text"},
    {"a number as text", TEXT, "x", FORM("decimal"), "700  its notation as text"},
    {"a number is no text", TEXT, "x", WHOLE, "0  a whole number cannot be the fact's type"},
    {"nor is a truth", TEXT, "x", TRUTH, "0  true or false cannot be the fact's type"},
    {"but all columns are", TEXT, "c bool", NULL, "700  its notation as text"},
    {"numbers of columns, too", TEXT, "c int", NULL, "700  its notation as text"},
    {"an object is no text", TEXT, "x", OF("'a':" WORD), "0  an object cannot be the fact's type"},
    {"a list is no text", TEXT, "x", LIST(WORD), "0  a list cannot be the fact's type"},
    {"anything is nothing", TEXT, "x", "{}", "0  anything cannot be the fact's type"},
    {"a list", "List(element_type: " INT ", max: 3)", "x", LIST(WHOLE), "1000  the same kind of value"},
    {"a list of others", "List(element_type: " INT ", max: 3)", "x", LIST(WORD), "0  a list cannot be the fact's type"},
    {"one is no list", "List(element_type: " INT ", max: 3)", "x", WHOLE, "0  a whole number cannot be the fact's type"},
};

/* '+' for each of `converts` by which the value becomes the fact, '-' for each other. */
static const struct judged_row {
    const char *name, *type, *member, *schema;
    const char *const *converts;
    const char *want;
} JUDGED[] = {
    {"a number moved", DEC, "x", WHOLE,
     (const char *const[]){"{'shift':-2}", "{'shift':-2,'x':1}", "{}", "[]", "1", "{'epoch':'seconds'}",
                           "{'number':true}", "{'unit':'days'}", NULL}, "+-------"},
    {"a number moved into an Int", INT, "x", REAL, (const char *const[]){"{'shift':2}", "{'number':true}", NULL}, "+-"},
    {"a word is not moved", DEC, "x", WORD,
     (const char *const[]){"{'shift':2}", "{'number':true}", "{'number':true,'shift':2}", NULL}, "-+-"},
    {"a number is not moved into text", TEXT, "x", WHOLE,
     (const char *const[]){"{'shift':2}", "{'number':true}", "{'epoch':'seconds'}", NULL}, "---"},
    {"numbers as text", INT, "x", FORM("int64"), (const char *const[]){"{'number':true}", "{'shift':1}", NULL}, "++"},
    {"a span from text", HOURS, "x", WORD,
     (const char *const[]){"{'number':true}", "{'unit':'iso8601'}", "{'unit':'days'}", "{'shift':1}", NULL}, "++--"},
    {"a span from a number", HOURS, "x", WHOLE,
     (const char *const[]){"{'unit':'days'}", "{'unit':'iso8601'}", "{'epoch':'seconds'}", "{'shift':1}", NULL}, "+---"},
    {"a span from a duration", HOURS, "x", FORM("duration"),
     (const char *const[]){"{'unit':'iso8601'}", "{'unit':'days'}", NULL}, "+-"},
    {"a moment from a number", "DateTime", "x", REAL, (const char *const[]){"{'epoch':'seconds'}", "{'shift':1}", NULL}, "+-"},
    {"a day from a number", "Date", "x", WHOLE, (const char *const[]){"{'epoch':'seconds'}", "{'number':true}", NULL}, "+-"},
    {"a moment from text", "DateTime", "x", WORD, (const char *const[]){"{'epoch':'seconds'}", "{'number':true}", NULL}, "--"},
    {"words for words", STATE, "x", WORD,
     (const char *const[]){"{'values':{'a':'open','b':'paid'}}", "{'values':{'a':'open','b':'gone'}}",
                           "{'values':{'a':'gone','b':'open'}}", "{'values':{'a':true}}", "{'values':{}}",
                           "{'values':['open']}", NULL}, "+-----"},
    {"words for truths", "Bool", "x", WHOLE,
     (const char *const[]){"{'values':{'1':true}}", "{'values':{'1':1}}", "{'values':{'1':'true'}}", NULL}, "+--"},
    {"words for text", TEXT, "x", WHOLE,
     (const char *const[]){"{'values':{'1':'a'}}", "{'values':{'1':1}}", NULL}, "+-"},
    {"words for numbers", DEC, "x", WORD,
     (const char *const[]){"{'values':{'a':1.5}}", "{'values':{'a':'1'}}", NULL}, "+-"},
    {"words for whole numbers", INT, "x", WORD,
     (const char *const[]){"{'values':{'a':1}}", "{'values':{'a':true}}", NULL}, "+-"},
    {"no words for moments", "DateTime", "x", WORD, (const char *const[]){"{'values':{'a':'2026-01-01T00:00:00Z'}}", NULL}, "-"},
    {"no words of an object", TEXT, "x", OF("'a':" WORD), (const char *const[]){"{'values':{'a':'b'}}", NULL}, "-"},
    {"money of members", EUR, "x", OF("'net':" REAL ",'ccy':" WORD ",'n':" WORD),
     (const char *const[]){"{'money':{'amount':'net','currency':'ccy'}}", "{'money':{'amount':'n','currency':'ccy'}}",
                           "{'money':{'amount':'net','currency':'net'}}", "{'money':{'amount':'net'}}",
                           "{'money':{'amount':'net','currency':'ccy'},'shift':-2}", "{'shift':-2}", NULL}, "+---+-"},
    {"money is for money alone", DEC, "x", OF("'net':" REAL ",'ccy':" WORD),
     (const char *const[]){"{'money':{'amount':'net','currency':'ccy'}}", NULL}, "-"},
};
/* clang-format on */

static mt_str with_quotes(mt_str text, char old, char new)
{
    char *to = mt_alloc(&arena, text.len + 1);
    for (size_t i = 0; i < text.len; i++) {
        to[i] = text.ptr[i] == old ? new : text.ptr[i];
    }
    return mt_str_from(to, text.len);
}

static cn_place place_of(const char *member, const char *schema)
{
    mt_str text =
        schema ? mt_strf(&arena,
                         "{'openapi':'3.0.0','paths':{'/a':{'get':{'responses':{'200':{"
                         "'content':{'application/json':{'schema':{'properties':{'%s':"
                         "%s}}}}}}}}}}",
                         member, schema)
               : mt_strf(&arena, "CREATE TABLE t (%s)", member);
    return document_of(&arena, schema ? CN_OPENAPI : CN_SQL,
                       with_quotes(text, '\'', '"'))
        .places[0];
}

static const ct_type *type_of(const char *type)
{
    mt_str text = mt_strf(&arena,
                          "source s { protocol: http base_url: \"http://x\" }\n"
                          "fact x { type: %s source: s { path: \"a.x\" } }\n"
                          "rule r { stratum: 0 when: true produce: r(true) }\n",
                          type);
    return contract_of(&arena, text)->facts[0].type;
}

static void is_found(void **state)
{
    const struct found_row *row = *state;
    cn_place p = place_of(row->member, row->schema);
    cn_words words = {0};
    mt_buf why = {0};
    mt_json convert;
    cn_words_add(&arena, &words, p.names[p.name_count - 1]);
    const ct_type *type = type_of(row->type);
    cn_fit fit = cn_fit_of(&arena, &p, &words, type);
    mt_str told = mt_strf(&arena, "%u %.*s %.*s", fit.score, MT_ARG(fit.convert),
                          MT_ARG(fit.because));
    assert_text(with_quotes(told, '"', '\''), mt_str_z(row->want));
    /* What is proposed is good when it is applied. */
    if (fit.convert.len) {
        assert_int_equal(mt_json_read(&arena, fit.convert, NULL, &convert, NULL),
                         MT_OK);
    }
    if (fit.score) {
        assert_true(
            cn_fits_with(p.shape, type, fit.convert.len ? &convert : NULL, &why));
    }
    mt_buf_free(&why);
}

static void is_judged(void **state)
{
    const struct judged_row *row = *state;
    cn_place p = place_of(row->member, row->schema);
    const ct_type *type = type_of(row->type);
    mt_buf told = {0};
    for (size_t i = 0; row->converts[i]; i++) {
        mt_buf why = {0};
        mt_json convert;
        mt_str text = with_quotes(mt_str_z(row->converts[i]), '\'', '"');
        assert_int_equal(mt_json_read(&arena, text, NULL, &convert, NULL), MT_OK);
        bool good = cn_fits_with(p.shape, type, &convert, &why);
        mt_buf_addc(&told, good ? '+' : '-');
        mt_str refused =
            mt_strf(&arena, "%s with this conversion does not give the fact's type",
                    CN_KIND_NAMES[p.shape->kind]);
        assert_text(mt_buf_str(&why), good ? MT_STR("") : refused);
        mt_buf_free(&why);
    }
    assert_text(mt_buf_str(&told), mt_str_z(row->want));
    mt_buf_free(&told);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, FOUND, is_found);
    rows_add(&list, JUDGED, is_judged);
    int failed = rows_run(&list, "connect/fit");
    mt_arena_free(&arena);
    return failed;
}
