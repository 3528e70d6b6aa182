CREATE TABLE "customer_mails" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"invoice_id" text NOT NULL,
	"kind" text NOT NULL,
	"refund_claim_id" text,
	"recipient" text NOT NULL,
	"language" text NOT NULL,
	"status" text NOT NULL,
	"tries" integer NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"failure" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "customer_mails_id" CHECK ("customer_mails"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "customer_mails_kind" CHECK ("customer_mails"."kind" in ('receipt', 'late_payment', 'refund')),
	CONSTRAINT "customer_mails_refund" CHECK (("customer_mails"."kind" = 'refund') = ("customer_mails"."refund_claim_id" is not null)),
	CONSTRAINT "customer_mails_recipient" CHECK (char_length("customer_mails"."recipient") between 3 and 254),
	CONSTRAINT "customer_mails_status" CHECK ("customer_mails"."status" in ('queued', 'sent', 'given_up')),
	CONSTRAINT "customer_mails_failure" CHECK ("customer_mails"."failure" in ('refused', 'unreachable', 'obsolete') and ("customer_mails"."failure" is not null) = ("customer_mails"."status" = 'given_up')),
	CONSTRAINT "customer_mails_tries" CHECK ("customer_mails"."tries" >= 0)
);
--> statement-breakpoint
ALTER TABLE "customer_mails" ADD CONSTRAINT "customer_mails_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customer_mails" ADD CONSTRAINT "customer_mails_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customer_mails" ADD CONSTRAINT "customer_mails_refund_claim_id_refund_claims_id_fk" FOREIGN KEY ("refund_claim_id") REFERENCES "public"."refund_claims"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "customer_mails_once" ON "customer_mails" USING btree ("invoice_id","kind") WHERE "customer_mails"."refund_claim_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "customer_mails_of_claim" ON "customer_mails" USING btree ("refund_claim_id") WHERE "customer_mails"."refund_claim_id" is not null;--> statement-breakpoint
CREATE INDEX "customer_mails_due" ON "customer_mails" USING btree ("due_at") WHERE "customer_mails"."status" = 'queued';