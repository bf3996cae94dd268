/* cli/questions.c - what can be asked, for the help of motet ask.
 * Room: cli. */
#include "analyze/prove/ask.h"
#include "cli/commands.h"

void cli_questions(mt_buf *out)
{
    static const struct {
        const char *text, *example, *means;
    } FORMS[AN_QUESTION_COUNT] = {
#define FORM(name, text, example, means) [AN_ASK_##name] = {text, example, means},
        AN_QUESTION_MAP(FORM)
#undef FORM
    };
    mt_buf_addz(out, "\nQuestions:\n");
    for (int i = 0; i < AN_QUESTION_COUNT; i++) {
        mt_buf_addf(out, "  %s\n      %s\n      %s\n", FORMS[i].text, FORMS[i].means,
                    FORMS[i].example);
    }
    mt_buf_addz(out,
                "\n"
                "PERSONA may be anyone. GOAL is reach ENTITY.STATE, move ENTITY from "
                "STATE to\nSTATE, or perform OPERATION. EVENT is an operation, or "
                "ENTITY.STATE for entering\nit. A CONDITION is made of verdicts, "
                "Bool facts, operations (their preconditions),\nENTITY.STATE and "
                "comparisons (amount <= 100.00, status = \"paid\", len(items) > 3),"
                "\nwith and, or, not and parentheses. Questions about states may end "
                "with: with N\ninstances. In a System a name may have its member "
                "before it: MEMBER.NAME.\n");
}
