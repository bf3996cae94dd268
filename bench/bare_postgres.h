/* bench/bare_postgres.h - the rows a served operation writes, written bare.
 * What PostgreSQL sees of the server, with nothing around it: one connection changes
 * an instance and queues a record for each operation, a group of them in each
 * transaction (one pipeline for all statements of a group); a second one moves what is
 * queued to the ledger, in batches, as the sequencer does. Prepared statements, tables
 * of the same shape in a schema of their own. */
#ifndef BARE_POSTGRES_H
#define BARE_POSTGRES_H

/* Copies instances and the text of a record from the server's tables, so the server
 * must have done an operation before. */
void bare_postgres_open(const char *url);

/* Operations a second, `group` of them in a transaction on average. */
double bare_postgres_rate(double group, double seconds);

void bare_postgres_close(void);

#endif
