#!/bin/sh
# backup.sh DATA_DIR FOLDER: dumps the database that libpq's variables name (PGHOST, PGUSER and so on,
# so that no password is in a command line) into FOLDER/<day of the month>, with the files of DATA_DIR
# that must not be lost. An older copy of that day is replaced once the new one is complete.
set -eu

data=$1
to=$2/$(date +%d)

umask 077
rm -rf "$to.partial"
mkdir "$to.partial"
pg_dump --format=custom --file="$to.partial/quittance.dump"
# After the database: the files that check a restored database must not be older than it.
for name in keystore.json issued-indexes.json signer.log; do
  if [ -e "$data/$name" ]; then cp "$data/$name" "$to.partial/"; fi
done
rm -rf "$to"
mv "$to.partial" "$to"
