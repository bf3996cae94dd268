/* tests/unit/contract/escrow_bundle.h - the worked example of the specification's
 * appendix, as interchange, with the transition its own text lacks. */
#ifndef ESCROW_BUNDLE_H
#define ESCROW_BUNDLE_H

#include "flow_bundle.h"

#define USD "{'base':'Money','currency':'USD'}"
#define ITEM                                                                           \
    "{'base':'Record','fields':{'amount':" USD ",'description':{'base':'Text',"        \
    "'max_length':256},'id':{'base':'Text','max_length':64},'valid':" BOOL "}}"
#define STATUS "{'base':'Enum','values':['pending','confirmed','failed']}"
#define STATUS_IS(value)                                                               \
    "{'left':{'fact_ref':'delivery_status'},'op':'=','right':{'literal':'" value       \
    "','type':" STATUS "}}"
#define ALL_VALID                                                                      \
    "{'body':{'left':{'field_ref':{'field':'valid','var':'item'}},'op':'=','right':"   \
    "{'literal':true,'type':{'base':'Bool'}}},'domain':{'fact_ref':'line_items'},"     \
    "'quantifier':'forall','variable':'item','variable_type':" ITEM "}"
#define CONTRACT_ERRORS "'precondition_failed','persona_rejected'"
#define REVERT                                                                         \
    COMPENSATE(UNDO("revert_delivery_confirmation", "escrow_agent", "failure"),        \
               "failure")

/* clang-format off */
static const char ESCROW[] = BUNDLE(
    PERSONA("buyer") PERSONA("compliance_officer") PERSONA("escrow_agent")
    PERSONA("seller")
    FACT_DEFAULT("buyer_requested_refund", BOOL, "{'kind':'bool_literal','value':false}")
    FACT_DEFAULT("compliance_threshold", USD,
                 "{'amount':{'kind':'decimal_value','precision':10,'scale':2,'value':"
                 "'10000.00'},'currency':'USD','kind':'money_value'}")
    FACT("delivery_status", STATUS) FACT("escrow_amount", USD)
    FACT("line_items", "{'base':'List','element_type':" ITEM ",'max':100}")
    ENTITY("DeliveryRecord", "pending", "'pending','confirmed','failed'",
           ARC("pending", "confirmed") ARC("pending", "failed")
           ARC("confirmed", "pending"))
    ENTITY("EscrowAccount", "held", "'held','released','refunded','disputed'",
           ARC("held", "released") ARC("held", "refunded") ARC("held", "disputed")
           ARC("disputed", "released") ARC("disputed", "refunded"))
    RULE("all_line_items_valid", 0, "line_items_validated", ALL_VALID)
    RULE("amount_within_threshold", 0, "within_threshold",
         "{'comparison_type':" USD ",'left':{'fact_ref':'escrow_amount'},'op':'<=',"
         "'right':{'fact_ref':'compliance_threshold'}}")
    RULE("delivery_confirmed", 0, "delivery_confirmed", STATUS_IS("confirmed"))
    RULE("delivery_failed", 0, "delivery_failed", STATUS_IS("failed"))
    RULE("refund_requested", 0, "refund_requested", IS_TRUE("buyer_requested_refund"))
    RULE("can_refund", 1, "refund_approved",
         AND(PRESENT("delivery_failed"), PRESENT("refund_requested")))
    "{'body':{'produce':{'payload':{'type':{'base':'Text','max_length':4},'value':"
    "'auto'},'verdict_type':'release_approved'},'when':"
    AND(AND(PRESENT("line_items_validated"), PRESENT("delivery_confirmed")),
        PRESENT("within_threshold"))
    "},'id':'can_release_without_compliance','kind':'Rule','stratum':1," WRITTEN "},"
    RULE("requires_compliance_review", 1, "compliance_review_required",
         AND(AND(PRESENT("line_items_validated"), PRESENT("delivery_confirmed")),
             NOT(PRESENT("within_threshold"))))
    OPERATION("confirm_delivery", "'seller'", ALL_VALID,
              EFFECT("DeliveryRecord", "pending", "confirmed"), "'confirmed'",
              CONTRACT_ERRORS)
    OPERATION("flag_dispute", "'buyer','seller'",
              OR(PRESENT("delivery_confirmed"), PRESENT("delivery_failed")),
              EFFECT("EscrowAccount", "held", "disputed"), "'disputed'", CONTRACT_ERRORS)
    OPERATION("record_delivery_failure", "'escrow_agent'", PRESENT("delivery_failed"),
              EFFECT("DeliveryRecord", "pending", "failed"), "'failed'", CONTRACT_ERRORS)
    OPERATION("refund_escrow", "'escrow_agent'", PRESENT("refund_approved"),
              EFFECT("EscrowAccount", "held", "refunded"), "'refunded'", CONTRACT_ERRORS)
    OPERATION("release_escrow", "'escrow_agent'", PRESENT("release_approved"),
              EFFECT("EscrowAccount", "held", "released"), "'released'", CONTRACT_ERRORS)
    OPERATION("release_escrow_with_compliance", "'compliance_officer'",
              PRESENT("compliance_review_required"),
              EFFECT("EscrowAccount", "held", "released"), "'released'", CONTRACT_ERRORS)
    OPERATION("revert_delivery_confirmation", "'escrow_agent'",
              PRESENT("delivery_confirmed"),
              EFFECT("DeliveryRecord", "confirmed", "pending"), "'reverted'",
              CONTRACT_ERRORS)
    FLOW("refund_flow", "step_refund",
         OP_STEP("step_refund", "refund_escrow", "escrow_agent",
                 ON("refunded", TERMINAL("success")), TERMINATE("failure")))
    FLOW("standard_release", "step_confirm",
         OP_STEP("step_confirm", "confirm_delivery", "seller",
                 ON("confirmed", STEP("step_check_threshold")), TERMINATE("failure"))
         BRANCH_STEP("step_check_threshold", "escrow_agent", PRESENT("within_threshold"),
                     STEP("step_auto_release"), STEP("step_handoff_compliance"))
         OP_STEP("step_auto_release", "release_escrow", "escrow_agent",
                 ON("released", TERMINAL("success")), REVERT)
         HANDOFF_STEP("step_handoff_compliance", "escrow_agent", "compliance_officer",
                      "step_compliance_release")
         OP_STEP("step_compliance_release", "release_escrow_with_compliance",
                 "compliance_officer", ON("released", TERMINAL("success")), REVERT)));
/* clang-format on */

/* The inputs of the sample execution. */
static const char ESCROW_FACTS[] =
    "{'escrow_amount':{'amount':'8500.00','currency':'USD'},'delivery_status':"
    "'confirmed','compliance_threshold':{'amount':'10000.00','currency':'USD'},"
    "'buyer_requested_refund':false,'line_items':[{'id':'L1','description':'Widget A',"
    "'amount':{'amount':'5000.00','currency':'USD'},'valid':true},{'id':'L2',"
    "'description':'Widget B','amount':{'amount':'3500.00','currency':'USD'},'valid':"
    "true}]}";

#endif
