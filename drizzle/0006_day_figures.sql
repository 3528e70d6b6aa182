CREATE TABLE "day_figure_changes" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"day" date NOT NULL,
	"figure" text NOT NULL,
	"label" text NOT NULL,
	"count" bigint NOT NULL,
	"units" numeric(78, 0) NOT NULL,
	"micro_usd" numeric(78, 0) NOT NULL,
	"fee_micro_usd" numeric(78, 0) NOT NULL,
	CONSTRAINT "day_figure_changes_figure" CHECK ("day_figure_changes"."figure" in ('balance', 'received', 'sent', 'refunded', 'network_fee', 'invoices'))
);
--> statement-breakpoint
CREATE TABLE "day_figures" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"day" date NOT NULL,
	"figure" text NOT NULL,
	"label" text NOT NULL,
	"count" bigint NOT NULL,
	"units" numeric(78, 0) NOT NULL,
	"micro_usd" numeric(78, 0) NOT NULL,
	"fee_micro_usd" numeric(78, 0) NOT NULL,
	CONSTRAINT "day_figures_merchant_id_sandbox_day_figure_label_pk" PRIMARY KEY("merchant_id","sandbox","day","figure","label"),
	CONSTRAINT "day_figures_figure" CHECK ("day_figures"."figure" in ('balance', 'received', 'sent', 'refunded', 'network_fee', 'invoices'))
);
--> statement-breakpoint
CREATE INDEX "day_figure_changes_of_merchant" ON "day_figure_changes" USING btree ("merchant_id","sandbox","day");--> statement-breakpoint
-- From here on by hand: what the schema language cannot say.

-- What each entry adds to the sums. OFFSET 0 keeps the order of reading: an entry by its key.
CREATE VIEW entry_figures AS
SELECT p.entry_id, e.merchant_id, e.sandbox, (e.at AT TIME ZONE 'UTC')::date AS day,
  f.figure, f.label, f.count, f.units, f.micro_usd, f.fee_micro_usd
FROM (
  SELECT entry_id,
    coalesce(-sum(amount) FILTER (WHERE account = 'merchant'), 0) AS balance,
    coalesce(-sum(amount) FILTER (WHERE account = 'fees'), 0) AS fees,
    coalesce(-sum(amount) FILTER (WHERE account = 'network_fees'), 0) AS network_fees,
    coalesce(sum(amount) FILTER (WHERE account = 'payouts_in_flight'), 0) AS in_flight,
    coalesce(sum(amount) FILTER (WHERE account = 'suspense'), 0) AS suspense,
    coalesce(-sum(amount) FILTER (WHERE account = 'treasury'), 0) AS treasury,
    max(currency) FILTER (WHERE account IN ('suspense', 'treasury')) AS asset
  FROM ledger_postings GROUP BY entry_id) AS p
CROSS JOIN LATERAL (SELECT * FROM ledger_entries WHERE id = p.entry_id OFFSET 0) AS e
CROSS JOIN LATERAL (
  SELECT 'balance', '', 1, 0, p.balance, 0 WHERE p.balance <> 0
  UNION ALL SELECT 'received', p.asset, CASE e.kind WHEN 'income' THEN 1 ELSE -1 END, p.suspense, p.balance, p.fees
    WHERE e.kind IN ('income', 'income_reversed')
  UNION ALL SELECT 'sent', p.asset, CASE e.kind WHEN 'payout_settled' THEN 1 ELSE -1 END, p.treasury, p.in_flight, p.network_fees
    WHERE e.kind IN ('payout_settled', 'payout_unsettled')
  UNION ALL SELECT 'refunded', '', CASE e.kind WHEN 'refund' THEN 1 ELSE -1 END, 0, -p.balance, 0
    WHERE e.kind IN ('refund', 'refund_reversed')
  UNION ALL SELECT 'refunded', '', 0, 0, 0, p.network_fees WHERE e.kind IN ('refund_settled', 'refund_unsettled') AND p.network_fees <> 0
  UNION ALL SELECT 'network_fee', '', CASE WHEN e.kind IN ('payout_fee_charged', 'refund_fee_charged') THEN 1 ELSE -1 END, 0, 0, -p.balance
    WHERE e.kind IN ('payout_fee_charged', 'payout_fee_returned', 'refund_fee_charged', 'refund_fee_returned')
) AS f (figure, label, count, units, micro_usd, fee_micro_usd)
WHERE e.merchant_id IS NOT NULL;
--> statement-breakpoint
-- A session keeps the plan of its first calls: see ledger_assert_balanced.
CREATE FUNCTION sum_postings() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO day_figure_changes (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
    SELECT merchant_id, sandbox, day, figure, label, sum(count), sum(units), sum(micro_usd), sum(fee_micro_usd)
    FROM entry_figures WHERE entry_id = ANY (ARRAY(SELECT DISTINCT entry_id FROM now_so)) GROUP BY 1, 2, 3, 4, 5;
  ELSE
    DELETE FROM day_figures WHERE figure <> 'invoices';
    DELETE FROM day_figure_changes WHERE figure <> 'invoices';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Invoices that are not open any more, on the day of their creation.
CREATE FUNCTION sum_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO day_figure_changes (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
    SELECT merchant_id, sandbox, (created_at AT TIME ZONE 'UTC')::date, 'invoices', status, count(*), 0, 0, 0
    FROM now_so WHERE status <> 'created' GROUP BY 1, 2, 3, 5;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO day_figure_changes (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
    SELECT merchant_id, sandbox, (created_at AT TIME ZONE 'UTC')::date, 'invoices', status, sum(change), 0, 0, 0 FROM (
      SELECT merchant_id, sandbox, created_at, status, 1 AS change FROM now_so
      UNION ALL SELECT merchant_id, sandbox, created_at, status, -1 FROM was_so) AS c
    WHERE status <> 'created' GROUP BY 1, 2, 3, 5 HAVING sum(change) <> 0;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO day_figure_changes (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
    SELECT merchant_id, sandbox, (created_at AT TIME ZONE 'UTC')::date, 'invoices', status, -count(*), 0, 0, 0
    FROM was_so WHERE status <> 'created' GROUP BY 1, 2, 3, 5;
  ELSE
    DELETE FROM day_figures WHERE figure = 'invoices';
    DELETE FROM day_figure_changes WHERE figure = 'invoices';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER sum_added AFTER INSERT ON ledger_postings REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION sum_postings();
--> statement-breakpoint
CREATE TRIGGER sum_emptied AFTER TRUNCATE ON ledger_postings FOR EACH STATEMENT EXECUTE FUNCTION sum_postings();
--> statement-breakpoint
CREATE TRIGGER sum_added AFTER INSERT ON invoices REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION sum_invoices();
--> statement-breakpoint
CREATE TRIGGER sum_changed AFTER UPDATE ON invoices REFERENCING OLD TABLE AS was_so NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION sum_invoices();
--> statement-breakpoint
CREATE TRIGGER sum_removed AFTER DELETE ON invoices REFERENCING OLD TABLE AS was_so
  FOR EACH STATEMENT EXECUTE FUNCTION sum_invoices();
--> statement-breakpoint
CREATE TRIGGER sum_emptied AFTER TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION sum_invoices();
--> statement-breakpoint
-- Also where a load of rows turns triggers off.
ALTER TABLE ledger_postings ENABLE ALWAYS TRIGGER sum_added, ENABLE ALWAYS TRIGGER sum_emptied;
--> statement-breakpoint
ALTER TABLE invoices ENABLE ALWAYS TRIGGER sum_added, ENABLE ALWAYS TRIGGER sum_changed,
  ENABLE ALWAYS TRIGGER sum_removed, ENABLE ALWAYS TRIGGER sum_emptied;
--> statement-breakpoint
-- What is there already. The triggers hold the tables until the end.
INSERT INTO day_figures (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
SELECT merchant_id, sandbox, day, figure, label, sum(count), sum(units), sum(micro_usd), sum(fee_micro_usd)
FROM entry_figures GROUP BY 1, 2, 3, 4, 5;
--> statement-breakpoint
INSERT INTO day_figures (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
SELECT merchant_id, sandbox, (created_at AT TIME ZONE 'UTC')::date, 'invoices', status, count(*), 0, 0, 0
FROM invoices WHERE status <> 'created' GROUP BY 1, 2, 3, 5;
--> statement-breakpoint
-- Rows come and go all the time.
ALTER TABLE day_figure_changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
