DROP INDEX "outgoing_transfers_one_per_reference";--> statement-breakpoint
DROP INDEX "payouts_one_refund";--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD COLUMN "hurried" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "payouts_of_invoice" ON "payouts" USING btree ("invoice_id") WHERE "payouts"."invoice_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "outgoing_transfers_one_per_reference" ON "outgoing_transfers" USING btree ("purpose","reference_id") WHERE "outgoing_transfers"."status" <> 'failed' and not "outgoing_transfers"."voided";--> statement-breakpoint
CREATE UNIQUE INDEX "payouts_one_refund" ON "payouts" USING btree ("invoice_id") WHERE "payouts"."invoice_id" is not null and "payouts"."status" in ('pending', 'processing');