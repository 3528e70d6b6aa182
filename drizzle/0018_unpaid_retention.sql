DROP INDEX "webhook_deliveries_replays";--> statement-breakpoint
DROP INDEX "webhook_deliveries_one_per_transition";--> statement-breakpoint
CREATE INDEX "invoices_expired_unpaid" ON "invoices" USING btree ("processed_at","id") WHERE "invoices"."status" = 'expired' and "invoices"."permanent_address_id" is null and not "invoices"."binds_permanent_address";--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_one_per_transition" ON "webhook_deliveries" USING btree ("invoice_id","invoice_version") WHERE "webhook_deliveries"."invoice_id" is not null;