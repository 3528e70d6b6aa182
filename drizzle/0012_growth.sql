DROP INDEX "deposits_of_invoice";--> statement-breakpoint
DROP INDEX "invoices_by_amount";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ALTER COLUMN "body" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "packed_body" "bytea";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "told_status" text;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "told_event" text;--> statement-breakpoint
CREATE INDEX "deposits_of_invoice" ON "deposits" USING btree ("invoice_id","first_seen_at") WHERE "deposits"."invoice_id" is not null;--> statement-breakpoint
CREATE INDEX "invoices_by_amount" ON "invoices" USING btree ("merchant_id","sandbox","initial_fiat_micros","seq","status","asset");--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_body" CHECK (num_nonnulls("webhook_deliveries"."packed_body", "webhook_deliveries"."body") = 1) NOT VALID;