/* tests/unit/runtime/postgres_fixture.h - a PostgreSQL of the test's own.
 * In a directory of its own, on a Unix socket only, with a password. It refuses to run
 * as root, so root becomes the user postgres for it. Stopped by its own pg_ctl. */
#ifndef TEST_POSTGRES_FIXTURE_H
#define TEST_POSTGRES_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"

#define POSTGRES_PASSWORD "correct-horse-77"

typedef struct postgres {
    char directory[64];
} postgres;

static bool postgres_shell(const char *script, const char *directory)
{
    char *command = NULL;
    int length =
        asprintf(&command,
                 "set -e; d='%s'; bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1); "
                 "as() { if [ \"$(id -u)\" = 0 ]; then runuser -u postgres -- \"$@\"; "
                 "else \"$@\"; fi; }; cd \"$d\"; { %s; } >\"$d/out\" 2>&1",
                 directory, script);
    int status = length > 0 ? system(command) : -1;
    free(command);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Runs statements as the owner. */
static bool postgres_run(const postgres *p, const char *sql)
{
    char *script = NULL;
    int length = asprintf(&script,
                          "PGPASSWORD=" POSTGRES_PASSWORD
                          " \"$bin/psql\" -qX -v ON_ERROR_STOP=1 -h \"$d\" -U motet "
                          "-d postgres -c \"%s\"",
                          sql);
    bool ok = length > 0 && postgres_shell(script, p->directory);
    free(script);
    return ok;
}

#define POSTGRES_START                                                                 \
    "as \"$bin/pg_ctl\" -D \"$d/data\" -w -t 60 -l \"$d/log\" -o \"-k $d -c "          \
    "listen_addresses= -c fsync=off -c max_connections=20\" start"

static void postgres_start(postgres *p)
{
    snprintf(p->directory, sizeof p->directory, "/tmp/motet-pg-XXXXXX");
    bool ok = mkdtemp(p->directory) &&
              postgres_shell("printf '" POSTGRES_PASSWORD "' >\"$d/pw\"; if [ \"$(id "
                             "-u)\" = 0 ]; then chown -R postgres \"$d\"; fi; as "
                             "\"$bin/initdb\" -N -D \"$d/data\" -U motet -A "
                             "scram-sha-256 --pwfile=\"$d/pw\" --no-locale -E UTF8; "
                             "rm \"$d/pw\"; " POSTGRES_START,
                             p->directory);
    if (!ok) {
        MT_BUG("PostgreSQL does not start; is the package postgresql installed?");
    }
}

static void postgres_stop(const postgres *p)
{
    if (!postgres_shell("as \"$bin/pg_ctl\" -D \"$d/data\" -w -m immediate stop",
                        p->directory)) {
        fprintf(stderr, "PostgreSQL in %s does not stop\n", p->directory);
    }
}

static bool postgres_again(const postgres *p)
{
    return postgres_shell(POSTGRES_START, p->directory);
}

static void postgres_remove(const postgres *p)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", p->directory);
    if (system(command) != 0) {
        fprintf(stderr, "%s stays\n", p->directory);
    }
}

#endif
