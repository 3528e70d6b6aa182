-- What the schema language cannot say: entries balance at commit, the ledger is append-only, and how hot tables are stored.

CREATE FUNCTION ledger_assert_balanced(entry text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM ledger_postings p WHERE p.entry_id = entry) THEN
    RAISE EXCEPTION 'ledger entry % has no postings', entry
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balances';
  END IF;
  IF EXISTS (SELECT FROM ledger_postings p WHERE p.entry_id = entry GROUP BY p.currency HAVING sum(p.amount) <> 0) THEN
    RAISE EXCEPTION 'the postings of ledger entry % do not sum to zero', entry
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balances';
  END IF;
END $$;
--> statement-breakpoint
CREATE FUNCTION ledger_entry_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_assert_balanced(NEW.id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION ledger_posting_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_assert_balanced(NEW.entry_id);
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Deferred: an entry and its postings are separate statements of one transaction.
CREATE CONSTRAINT TRIGGER ledger_entry_balances AFTER INSERT ON ledger_entries
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_entry_inserted();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER ledger_posting_balances AFTER INSERT ON ledger_postings
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_posting_inserted();
--> statement-breakpoint
CREATE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The one thing that may be added to an entry, once, is which later entry took it back.
  IF TG_TABLE_NAME = 'ledger_entries' AND TG_OP = 'UPDATE' THEN
    IF to_jsonb(OLD) -> 'reversed_by' = 'null'::jsonb
      AND to_jsonb(NEW) - 'reversed_by' = to_jsonb(OLD) - 'reversed_by' THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the ledger is append-only: % on % refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_is_append_only';
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION ledger_is_append_only();
--> statement-breakpoint
CREATE TRIGGER ledger_postings_append_only BEFORE UPDATE OR DELETE ON ledger_postings
  FOR EACH ROW EXECUTE FUNCTION ledger_is_append_only();
--> statement-breakpoint
-- Rows that are updated again and again keep their new versions on the same page.
ALTER TABLE counters SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE balances SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE derivation_indexes SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE chain_cursors SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE webhook_deliveries SET (fillfactor = 70);
--> statement-breakpoint
-- Totals are counted from indexes alone, which needs the visibility map to be kept fresh on growing tables.
ALTER TABLE invoices SET (fillfactor = 90, autovacuum_vacuum_insert_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE payouts SET (autovacuum_vacuum_insert_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE ledger_entries SET (autovacuum_vacuum_insert_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE webhook_attempts SET (autovacuum_vacuum_insert_scale_factor = 0.02);
