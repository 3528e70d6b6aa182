ALTER TABLE "payouts" DROP CONSTRAINT "payouts_waiting";--> statement-breakpoint
DROP INDEX "payouts_to_send";--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "merchant_waived" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "payouts_of_barred_merchants" ON "payouts" USING btree ("merchant_id","id") WHERE "payouts"."waiting_code" = 'merchant';--> statement-breakpoint
CREATE INDEX "payouts_to_send" ON "payouts" USING btree ("asset","tried_at" NULLS FIRST,"id") WHERE not "payouts"."sandbox" and "payouts"."status" = 'pending' and "payouts"."held" is null and "payouts"."waiting_code" is distinct from 'merchant';--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_waiting" CHECK (num_nulls("payouts"."waiting", "payouts"."waiting_code", "payouts"."tried_at") in (0, 3) and "payouts"."waiting_code" in ('liquidity', 'negative_balance', 'payment_gone', 'merchant', 'asset', 'dust', 'signing'));