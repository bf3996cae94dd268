/* contract/wire/currency.h - how many digits behind the point amounts of a currency
 * have. Room: contract. May include base/ only. By ISO 4217, for amounts that are made
 * up or shown; what a contract accepts does not depend on it. */
#ifndef CT_WIRE_CURRENCY_H
#define CT_WIRE_CURRENCY_H

#include "base/str.h"

/* 2 for EUR, 0 for JPY, 3 for KWD; 2 for a code that is not known. */
unsigned ct_currency_digits(mt_str code);

#endif
