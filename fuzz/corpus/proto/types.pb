
Å
bank/types.proto
bank.types"Y
Amount#
currency_code (	RcurrencyCode
units (Runits
nanos (Rnanosbproto3