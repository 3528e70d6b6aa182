-- By hand. An entry and its postings are one statement: whether it balances is checked once for all
-- entries of a statement, and no longer at the commit, for each entry and each posting.
DROP TRIGGER ledger_entry_balances ON ledger_entries;
--> statement-breakpoint
DROP TRIGGER ledger_posting_balances ON ledger_postings;
--> statement-breakpoint
DROP FUNCTION ledger_entry_inserted();
--> statement-breakpoint
DROP FUNCTION ledger_posting_inserted();
--> statement-breakpoint
DROP FUNCTION ledger_assert_balanced(text);
--> statement-breakpoint
-- A session keeps the plan of its first calls. A subquery with a limit is looked up by the index for
-- each entry, however small the table was then.
CREATE FUNCTION ledger_entries_have_postings() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  entry text;
BEGIN
  SELECT e.id INTO entry FROM now_so e
  WHERE (SELECT true FROM ledger_postings p WHERE p.entry_id = e.id LIMIT 1) IS NULL LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ledger entry % has no postings', entry
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balances';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- What was there before sums to zero, so what comes must.
CREATE FUNCTION ledger_postings_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  entry text;
BEGIN
  SELECT p.entry_id INTO entry FROM now_so p GROUP BY p.entry_id, p.currency HAVING sum(p.amount) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the postings of ledger entry % do not sum to zero', entry
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balances';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_have_postings AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_entries_have_postings();
--> statement-breakpoint
CREATE TRIGGER ledger_postings_balance AFTER INSERT ON ledger_postings REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_postings_balance();
