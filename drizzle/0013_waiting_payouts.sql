ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_kind";--> statement-breakpoint
DROP INDEX "ledger_one_reserve";--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "waiting_code" text;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "tried_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "let_go_at" timestamp with time zone;--> statement-breakpoint
UPDATE "payouts" SET "waiting_code" = case when "waiting" like 'liquidity:%' then 'liquidity' else 'signing' end, "tried_at" = "created_at" WHERE "waiting" is not null;--> statement-breakpoint
UPDATE "payouts" SET "let_go_at" = "created_at" WHERE not "sandbox" and "created_at" > now() - interval '2 days' and "status" in ('processing', 'success');--> statement-breakpoint
CREATE INDEX "payouts_to_send" ON "payouts" USING btree ("asset","tried_at" NULLS FIRST,"id") WHERE not "payouts"."sandbox" and "payouts"."status" = 'pending' and "payouts"."held" is null;--> statement-breakpoint
CREATE INDEX "payouts_let_go" ON "payouts" USING btree ("merchant_id","let_go_at") WHERE "payouts"."let_go_at" is not null;--> statement-breakpoint
CREATE INDEX "uniq_ids_by_expiry" ON "uniq_ids" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_reserve" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" in ('payout_reserved', 'payout_retaken') and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind" CHECK ("ledger_entries"."kind" in ('deposit_arrived', 'deposit_departed', 'income', 'income_reversed', 'hold', 'hold_reversed', 'payout_reserved', 'payout_retaken', 'payout_settled', 'payout_unsettled', 'payout_released', 'refund', 'refund_settled', 'refund_unsettled', 'refund_reversed', 'network_fee', 'network_fee_reversed', 'capital'));--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_waiting" CHECK (num_nulls("payouts"."waiting", "payouts"."waiting_code", "payouts"."tried_at") in (0, 3) and "payouts"."waiting_code" in ('liquidity', 'negative_balance', 'payment_gone', 'asset', 'dust', 'signing'));