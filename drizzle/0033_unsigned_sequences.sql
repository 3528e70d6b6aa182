ALTER TABLE "payouts" DROP CONSTRAINT "payouts_waiting";--> statement-breakpoint
ALTER TABLE "sweeps" DROP CONSTRAINT "sweeps_reason";--> statement-breakpoint
DROP INDEX "outgoing_transfers_one_per_sequence";--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD COLUMN "taken_out" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "outgoing_transfers_taken_out" ON "outgoing_transfers" USING btree ("chain","wallet","sequence") WHERE "outgoing_transfers"."taken_out";--> statement-breakpoint
CREATE UNIQUE INDEX "outgoing_transfers_one_per_sequence" ON "outgoing_transfers" USING btree ("chain","wallet","sequence","position") WHERE not "outgoing_transfers"."taken_out";--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD CONSTRAINT "outgoing_transfers_taken_out" CHECK (not "outgoing_transfers"."taken_out" or ("outgoing_transfers"."status" = 'failed' and "outgoing_transfers"."txid" is null));--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_waiting" CHECK (num_nulls("payouts"."waiting", "payouts"."waiting_code", "payouts"."tried_at") in (0, 3) and "payouts"."waiting_code" in ('liquidity', 'negative_balance', 'payment_gone', 'merchant', 'asset', 'dust', 'signing', 'trial', 'fee'));--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_reason" CHECK (num_nulls("sweeps"."reason", "sweeps"."reason_code") in (0, 2) and "sweeps"."reason_code" in ('withheld', 'not_worth_it', 'too_dear', 'no_place', 'gas_unknown', 'liquidity', 'empty', 'fees_rose', 'loan_gone', 'loan_refused', 'loan_late', 'unsigned', 'transfer_failed', 'operator', 'earlier_reopened', 'reorganised'));--> statement-breakpoint
-- What had left its bundle before: its own chain does not count sequences, or others of the bundle have that sequence.
UPDATE "outgoing_transfers" t SET "taken_out" = true
  WHERE "status" = 'failed' AND "voided" AND "block_height" IS NULL AND (
    "chain" IN ('bitcoin', 'litecoin', 'bitcoincash', 'tron', 'solana')
    OR EXISTS (SELECT FROM "outgoing_transfers" o WHERE o."bundle_id" = t."bundle_id" AND o."id" <> t."id"));
