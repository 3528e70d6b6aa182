CREATE TABLE "outgoing_transfers" (
	"id" text PRIMARY KEY NOT NULL,
	"chain" text NOT NULL,
	"wallet" text NOT NULL,
	"sequence" bigint NOT NULL,
	"purpose" text NOT NULL,
	"reference_id" text NOT NULL,
	"asset" text NOT NULL,
	"to_address" text NOT NULL,
	"units" numeric(78, 0) NOT NULL,
	"status" text NOT NULL,
	"txid" text,
	"block_height" integer,
	"block_hash" text,
	"fee_units" numeric(78, 0),
	"failure" text,
	"voided" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "outgoing_transfers_id" CHECK ("outgoing_transfers"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "outgoing_transfers_sequence" CHECK ("outgoing_transfers"."sequence" >= 0),
	CONSTRAINT "outgoing_transfers_purpose" CHECK ("outgoing_transfers"."purpose" in ('payout', 'sweep', 'topup')),
	CONSTRAINT "outgoing_transfers_status" CHECK ("outgoing_transfers"."status" in ('allocated', 'signed', 'confirmed', 'failed')),
	CONSTRAINT "outgoing_transfers_units" CHECK ("outgoing_transfers"."units" > 0 and "outgoing_transfers"."units" <> 'NaN'),
	CONSTRAINT "outgoing_transfers_fee" CHECK ("outgoing_transfers"."fee_units" >= 0 and "outgoing_transfers"."fee_units" <> 'NaN'),
	CONSTRAINT "outgoing_transfers_settled_whole" CHECK (num_nulls("outgoing_transfers"."txid", "outgoing_transfers"."block_height", "outgoing_transfers"."block_hash", "outgoing_transfers"."fee_units") in (0, 4)
        and ("outgoing_transfers"."status" <> 'confirmed' or "outgoing_transfers"."txid" is not null)
        and ("outgoing_transfers"."status" in ('confirmed', 'failed') or "outgoing_transfers"."txid" is null)),
	CONSTRAINT "outgoing_transfers_failure" CHECK (("outgoing_transfers"."failure" is not null) = ("outgoing_transfers"."status" = 'failed' or ("outgoing_transfers"."voided" and "outgoing_transfers"."status" <> 'confirmed')))
);
--> statement-breakpoint
CREATE TABLE "signed_transactions" (
	"transfer_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"txid" text NOT NULL,
	"raw" text NOT NULL,
	"voids" boolean NOT NULL,
	"max_fee_units" numeric(78, 0) NOT NULL,
	"signed_at" timestamp with time zone NOT NULL,
	"broadcast_at" timestamp with time zone,
	CONSTRAINT "signed_transactions_transfer_id_ordinal_pk" PRIMARY KEY("transfer_id","ordinal"),
	CONSTRAINT "signed_transactions_ordinal" CHECK ("signed_transactions"."ordinal" >= 1),
	CONSTRAINT "signed_transactions_fee" CHECK ("signed_transactions"."max_fee_units" >= 0 and "signed_transactions"."max_fee_units" <> 'NaN')
);
--> statement-breakpoint
CREATE TABLE "signing_switch" (
	"singleton" boolean PRIMARY KEY NOT NULL,
	"stopped_at" timestamp with time zone,
	"note" text NOT NULL,
	CONSTRAINT "signing_switch_singleton" CHECK ("signing_switch"."singleton")
);
--> statement-breakpoint
CREATE TABLE "wallets" (
	"chain" text NOT NULL,
	"address" text NOT NULL,
	"next_sequence" bigint NOT NULL,
	CONSTRAINT "wallets_chain_address_pk" PRIMARY KEY("chain","address"),
	CONSTRAINT "wallets_next_sequence" CHECK ("wallets"."next_sequence" >= 0)
);
--> statement-breakpoint
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_kind";--> statement-breakpoint
ALTER TABLE "ledger_postings" DROP CONSTRAINT "ledger_postings_account";--> statement-breakpoint
ALTER TABLE "payouts" DROP CONSTRAINT "payouts_seq";--> statement-breakpoint
DROP INDEX "ledger_one_reserve";--> statement-breakpoint
DROP INDEX "ledger_one_end_of_reserve";--> statement-breakpoint
ALTER TABLE "ledger_entries" ALTER COLUMN "merchant_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "payouts" ALTER COLUMN "seq" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "kind" text DEFAULT 'payout' NOT NULL;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "invoice_id" text;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "held" text;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "released" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "waiting" text;--> statement-breakpoint
ALTER TABLE "signed_transactions" ADD CONSTRAINT "signed_transactions_transfer_id_outgoing_transfers_id_fk" FOREIGN KEY ("transfer_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "outgoing_transfers_one_per_sequence" ON "outgoing_transfers" USING btree ("chain","wallet","sequence");--> statement-breakpoint
CREATE UNIQUE INDEX "outgoing_transfers_one_per_reference" ON "outgoing_transfers" USING btree ("purpose","reference_id") WHERE "outgoing_transfers"."status" <> 'failed';--> statement-breakpoint
CREATE INDEX "outgoing_transfers_open" ON "outgoing_transfers" USING btree ("chain","wallet","sequence") WHERE "outgoing_transfers"."status" in ('allocated', 'signed');--> statement-breakpoint
CREATE INDEX "outgoing_transfers_settled" ON "outgoing_transfers" USING btree ("chain","block_height") WHERE "outgoing_transfers"."block_height" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "signed_transactions_txid" ON "signed_transactions" USING btree ("txid");--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_network_fee" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" = 'network_fee' and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "payouts_one_refund" ON "payouts" USING btree ("invoice_id") WHERE "payouts"."invoice_id" is not null and "payouts"."status" not in ('failed', 'cancelled');--> statement-breakpoint
UPDATE ledger_entries r SET reversed_by = x.id FROM ledger_entries x
  WHERE x.kind = 'payout_released' AND r.kind = 'payout_reserved' AND r.reference_id = x.reference_id;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_reserve" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" = 'payout_reserved' and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_end_of_reserve" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" in ('payout_settled', 'refund_settled') and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_house" CHECK (("ledger_entries"."merchant_id" is not null) = ("ledger_entries"."kind" not in ('network_fee', 'network_fee_reversed', 'capital'))
        and ("ledger_entries"."merchant_id" is not null or "ledger_entries"."feed_type" is null));--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind" CHECK ("ledger_entries"."kind" in ('deposit_arrived', 'deposit_departed', 'income', 'income_reversed', 'hold', 'hold_reversed', 'payout_reserved', 'payout_settled', 'payout_unsettled', 'payout_released', 'refund', 'refund_settled', 'refund_unsettled', 'refund_reversed', 'network_fee', 'network_fee_reversed', 'capital'));--> statement-breakpoint
ALTER TABLE "ledger_postings" ADD CONSTRAINT "ledger_postings_account" CHECK ("ledger_postings"."account" in ('merchant', 'fees', 'held', 'payouts_in_flight', 'refunds_in_flight', 'treasury', 'suspense', 'trading', 'network_fees', 'capital'));--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_kind" CHECK ("payouts"."kind" in ('payout', 'refund') and ("payouts"."kind" = 'refund') = ("payouts"."invoice_id" is not null));--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_held_while_pending" CHECK ("payouts"."held" is null or "payouts"."status" = 'pending');--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_seq" CHECK ("payouts"."seq" >= 1 and ("payouts"."seq" is not null) = ("payouts"."kind" = 'payout'));--> statement-breakpoint
INSERT INTO signing_switch (singleton, stopped_at, note) VALUES (true, NULL, '');
