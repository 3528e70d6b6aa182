-- A session keeps the plan of its first calls. One that was made while the table was small reads all of it for each entry, however
-- large it has become: a thousand payments in the first minutes of a database took ten seconds of commits.
ALTER FUNCTION ledger_assert_balanced(text) SET enable_seqscan = off;
