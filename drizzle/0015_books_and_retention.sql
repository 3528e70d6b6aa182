CREATE TABLE "book_doubts" (
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"expected" text,
	"found" text,
	CONSTRAINT "book_doubts_kind_key_pk" PRIMARY KEY("kind","key"),
	CONSTRAINT "book_doubts_kind" CHECK ("book_doubts"."kind" in ('row', 'block', 'days', 'changed')),
	CONSTRAINT "book_doubts_changed" CHECK (("book_doubts"."expected" is not null) = ("book_doubts"."kind" = 'changed') and num_nulls("book_doubts"."expected", "book_doubts"."found") in (0, 2))
);
--> statement-breakpoint
CREATE TABLE "book_walk" (
	"singleton" boolean PRIMARY KEY NOT NULL,
	"phase" text NOT NULL,
	"after" text NOT NULL,
	"begun_at" timestamp with time zone,
	"summed" boolean NOT NULL,
	"failed" text,
	"ended_at" timestamp with time zone,
	CONSTRAINT "book_walk_singleton" CHECK ("book_walk"."singleton"),
	CONSTRAINT "book_walk_phase" CHECK ("book_walk"."phase" in ('entries', 'deposits', 'invoices', 'payouts', 'transfers', 'capital', 'counts', 'days', 'numbers', 'ended')),
	CONSTRAINT "book_walk_failed" CHECK ("book_walk"."failed" in ('entries', 'deposits', 'invoices', 'payouts', 'transfers', 'capital', 'counts', 'days', 'numbers', 'ended'))
);
--> statement-breakpoint
CREATE TABLE "unverified_entries" (
	"entry_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "verified_balances" (
	"verified_by" text NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"income" numeric(78, 0) NOT NULL,
	"payouts" numeric(78, 0) NOT NULL,
	"refunds" numeric(78, 0) NOT NULL,
	"available" numeric(78, 0) NOT NULL,
	CONSTRAINT "verified_balances_verified_by_merchant_id_sandbox_pk" PRIMARY KEY("verified_by","merchant_id","sandbox"),
	CONSTRAINT "verified_balances_by" CHECK ("verified_balances"."verified_by" in ('standing', 'walk'))
);
--> statement-breakpoint
CREATE TABLE "verified_numbers" (
	"verified_by" text NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"stream" text NOT NULL,
	"value" bigint NOT NULL,
	CONSTRAINT "verified_numbers_verified_by_merchant_id_sandbox_stream_pk" PRIMARY KEY("verified_by","merchant_id","sandbox","stream"),
	CONSTRAINT "verified_numbers_by" CHECK ("verified_numbers"."verified_by" in ('standing', 'walk'))
);
--> statement-breakpoint
CREATE INDEX "signed_transactions_with_bytes" ON "signed_transactions" USING btree ("signed_at") WHERE "signed_transactions"."raw" <> '';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_unnumbered" ON "webhook_deliveries" USING btree ("id") WHERE "webhook_deliveries"."event_at" is null;--> statement-breakpoint
-- From here on by hand. Entries that no reconciliation has looked at yet. Not where a load of rows
-- turns triggers off: such a load brings these rows as well.
CREATE FUNCTION note_unverified() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO unverified_entries (entry_id) SELECT id FROM now_so;
  ELSE
    DELETE FROM unverified_entries;
    DELETE FROM verified_balances;
    DELETE FROM verified_numbers;
    DELETE FROM book_doubts;
    DELETE FROM book_walk;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER unverified_added AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION note_unverified();
--> statement-breakpoint
CREATE TRIGGER unverified_emptied AFTER TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION note_unverified();
--> statement-breakpoint
-- Rows come and go all the time.
ALTER TABLE unverified_entries SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
--> statement-breakpoint
-- Rows are removed all the time: their space is free again before a fifth of
-- a big table is dead.
ALTER TABLE webhook_attempts SET (autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE webhook_deliveries SET (autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Last, since every writer of a list waits for this lock.
ALTER TABLE "counters" ADD COLUMN "removed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "counters" ADD CONSTRAINT "counters_removed" CHECK ("counters"."removed" between 0 and "counters"."value"
        and ("counters"."removed" = 0 or "counters"."stream" in ('notifications', 'events')));
