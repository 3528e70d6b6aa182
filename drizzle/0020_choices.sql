DROP INDEX "addresses_of_invoice";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "customer_chooses" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "earlier_choices" text;--> statement-breakpoint
UPDATE "invoices" SET "customer_chooses" = true WHERE "status" = 'created' and ("asset" is null or cardinality("accepted_coins") > 0);--> statement-breakpoint
CREATE INDEX "invoices_chosen_anew_on_permanent_address" ON "invoices" USING btree ("user_id") WHERE "invoices"."earlier_choices" is not null and "invoices"."binds_permanent_address" and "invoices"."status" = 'created';--> statement-breakpoint
CREATE UNIQUE INDEX "addresses_of_invoice" ON "addresses" USING btree ("invoice_id","family") WHERE "addresses"."invoice_id" is not null;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_earlier_choices" CHECK ("invoices"."earlier_choices" is null or ("invoices"."customer_chooses" and "invoices"."asset" is not null
        and jsonb_array_length("invoices"."earlier_choices"::jsonb) > 0
        and not "invoices"."earlier_choices"::jsonb @> jsonb_build_array(jsonb_build_object('asset', "invoices"."asset"))));