DROP INDEX "invoices_by_update";--> statement-breakpoint
DROP INDEX "payouts_by_update";--> statement-breakpoint
CREATE INDEX "webhook_attempts_of_payout" ON "webhook_attempts" USING btree ("delivery_id","seq") WHERE "webhook_attempts"."invoice_id" is null;--> statement-breakpoint
CREATE INDEX "invoices_by_update" ON "invoices" USING btree ("merchant_id","sandbox",coalesce("updated_at", "processed_at", "created_at"),"seq","updated_at","processed_at","created_at");--> statement-breakpoint
CREATE INDEX "payouts_by_update" ON "payouts" USING btree ("merchant_id","sandbox",coalesce("updated_at", "processed_at", "created_at"),"seq","updated_at","processed_at","created_at") WHERE "payouts"."seq" is not null;