CREATE TABLE "list_count_changes" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"list" text NOT NULL,
	"label" text NOT NULL,
	"asset" text NOT NULL,
	"block" bigint NOT NULL,
	"change" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "list_counts" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"list" text NOT NULL,
	"label" text NOT NULL,
	"asset" text NOT NULL,
	"block" bigint NOT NULL,
	"value" bigint NOT NULL,
	CONSTRAINT "list_counts_merchant_id_sandbox_list_label_asset_block_pk" PRIMARY KEY("merchant_id","sandbox","list","label","asset","block")
);
--> statement-breakpoint
DROP INDEX "invoices_by_asset";--> statement-breakpoint
DROP INDEX "invoices_by_status";--> statement-breakpoint
CREATE INDEX "list_count_changes_of_list" ON "list_count_changes" USING btree ("merchant_id","sandbox","list");--> statement-breakpoint
CREATE INDEX "invoices_by_asset_and_status" ON "invoices" USING btree ("merchant_id","sandbox","asset","status","seq");--> statement-breakpoint
CREATE INDEX "invoices_by_status" ON "invoices" USING btree ("merchant_id","sandbox","status","seq");--> statement-breakpoint
-- Rows are counted by blocks of 16,384 numbers. A statement adds what it changed, so whoever writes waits for nobody. What a statement leaves as it was adds nothing.
CREATE FUNCTION count_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'invoices', status, coalesce(asset, ''), (seq - 1) / 16384, count(*) FROM now_so GROUP BY 1, 2, 3, 4, 5, 6;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'invoices', status, coalesce(asset, ''), (seq - 1) / 16384, sum(change) FROM (
      SELECT merchant_id, sandbox, status, asset, seq, 1 AS change FROM now_so
      UNION ALL SELECT merchant_id, sandbox, status, asset, seq, -1 FROM was_so) AS c
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(change) <> 0;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'invoices', status, coalesce(asset, ''), (seq - 1) / 16384, -count(*) FROM was_so GROUP BY 1, 2, 3, 4, 5, 6;
  ELSE
    DELETE FROM list_counts WHERE list = 'invoices';
    DELETE FROM list_count_changes WHERE list = 'invoices';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_payouts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'payouts', '', asset, (seq - 1) / 16384, count(*) FROM now_so WHERE seq IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'payouts', '', asset, (seq - 1) / 16384, -count(*) FROM was_so WHERE seq IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
  ELSE
    DELETE FROM list_counts WHERE list = 'payouts';
    DELETE FROM list_count_changes WHERE list = 'payouts';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_feed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'ledger', feed_type, '', (feed_seq - 1) / 16384, count(*) FROM now_so WHERE feed_seq IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'ledger', feed_type, '', (feed_seq - 1) / 16384, -count(*) FROM was_so WHERE feed_seq IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
  ELSE
    DELETE FROM list_counts WHERE list = 'ledger';
    DELETE FROM list_count_changes WHERE list = 'ledger';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_added AFTER INSERT ON invoices REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
--> statement-breakpoint
CREATE TRIGGER count_changed AFTER UPDATE ON invoices REFERENCING OLD TABLE AS was_so NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
--> statement-breakpoint
CREATE TRIGGER count_removed AFTER DELETE ON invoices REFERENCING OLD TABLE AS was_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
--> statement-breakpoint
CREATE TRIGGER count_emptied AFTER TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
--> statement-breakpoint
CREATE TRIGGER count_added AFTER INSERT ON payouts REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_payouts();
--> statement-breakpoint
CREATE TRIGGER count_removed AFTER DELETE ON payouts REFERENCING OLD TABLE AS was_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_payouts();
--> statement-breakpoint
CREATE TRIGGER count_emptied AFTER TRUNCATE ON payouts FOR EACH STATEMENT EXECUTE FUNCTION count_payouts();
--> statement-breakpoint
CREATE TRIGGER count_added AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_feed();
--> statement-breakpoint
CREATE TRIGGER count_removed AFTER DELETE ON ledger_entries REFERENCING OLD TABLE AS was_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_feed();
--> statement-breakpoint
CREATE TRIGGER count_emptied AFTER TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION count_feed();
--> statement-breakpoint
-- Also where a load of rows turns triggers off.
ALTER TABLE invoices ENABLE ALWAYS TRIGGER count_added, ENABLE ALWAYS TRIGGER count_changed,
  ENABLE ALWAYS TRIGGER count_removed, ENABLE ALWAYS TRIGGER count_emptied;
--> statement-breakpoint
ALTER TABLE payouts ENABLE ALWAYS TRIGGER count_added, ENABLE ALWAYS TRIGGER count_removed, ENABLE ALWAYS TRIGGER count_emptied;
--> statement-breakpoint
ALTER TABLE ledger_entries ENABLE ALWAYS TRIGGER count_added, ENABLE ALWAYS TRIGGER count_removed,
  ENABLE ALWAYS TRIGGER count_emptied;
--> statement-breakpoint
-- The triggers hold the tables still until this is committed: nothing is missed, and nothing counted twice.
INSERT INTO list_counts (merchant_id, sandbox, list, label, asset, block, value)
SELECT merchant_id, sandbox, 'invoices', status, coalesce(asset, ''), (seq - 1) / 16384, count(*) FROM invoices GROUP BY 1, 2, 3, 4, 5, 6
UNION ALL
SELECT merchant_id, sandbox, 'payouts', '', asset, (seq - 1) / 16384, count(*) FROM payouts WHERE seq IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6
UNION ALL
SELECT merchant_id, sandbox, 'ledger', feed_type, '', (feed_seq - 1) / 16384, count(*) FROM ledger_entries WHERE feed_seq IS NOT NULL
GROUP BY 1, 2, 3, 4, 5, 6;
--> statement-breakpoint
-- Rows come and go all the time.
ALTER TABLE list_count_changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
