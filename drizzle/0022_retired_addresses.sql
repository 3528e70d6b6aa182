DROP INDEX "addresses_of_invoice";--> statement-breakpoint
DROP INDEX "deposits_of_invoice";--> statement-breakpoint
ALTER TABLE "addresses" ADD COLUMN "retired" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "addresses_of_invoice" ON "addresses" USING btree ("invoice_id","family","retired") WHERE "addresses"."invoice_id" is not null;--> statement-breakpoint
CREATE INDEX "deposits_of_invoice" ON "deposits" USING btree ("invoice_id","first_seen_at","id") WHERE "deposits"."invoice_id" is not null;