CREATE TABLE "refund_claims" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"subject" text NOT NULL,
	"invoice_id" text,
	"deposit_id" text,
	"asset" text NOT NULL,
	"units" numeric(78, 0) NOT NULL,
	"fee_bearer" text NOT NULL,
	"on_checkout" boolean NOT NULL,
	"ordered_by" text,
	"status" text NOT NULL,
	"address" text,
	"payout_id" text,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "refund_claims_id" CHECK ("refund_claims"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "refund_claims_subject" CHECK ("refund_claims"."subject" in ('invoice', 'surplus', 'deposit')),
	CONSTRAINT "refund_claims_of" CHECK (("refund_claims"."subject" = 'deposit') = ("refund_claims"."deposit_id" is not null)
        and ("refund_claims"."subject" = 'deposit' or "refund_claims"."invoice_id" is not null)),
	CONSTRAINT "refund_claims_units" CHECK ("refund_claims"."units" > 0 and "refund_claims"."units" <> 'NaN'),
	CONSTRAINT "refund_claims_fee_bearer" CHECK ("refund_claims"."fee_bearer" in ('merchant', 'client')),
	CONSTRAINT "refund_claims_status" CHECK ("refund_claims"."status" in ('open', 'confirmed', 'sent', 'paid', 'expired', 'withdrawn')),
	CONSTRAINT "refund_claims_confirmed" CHECK (num_nulls("refund_claims"."address", "refund_claims"."payout_id") in (0, 2)
        and ("refund_claims"."payout_id" is not null) = ("refund_claims"."status" in ('confirmed', 'sent', 'paid')))
);
--> statement-breakpoint
ALTER TABLE "payouts" DROP CONSTRAINT "payouts_kind";--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "refund_claim_id" text;--> statement-breakpoint
ALTER TABLE "refund_claims" ADD CONSTRAINT "refund_claims_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refund_claims" ADD CONSTRAINT "refund_claims_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refund_claims" ADD CONSTRAINT "refund_claims_deposit_id_deposits_id_fk" FOREIGN KEY ("deposit_id") REFERENCES "public"."deposits"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "refund_claims_of_invoice" ON "refund_claims" USING btree ("invoice_id","id") WHERE "refund_claims"."invoice_id" is not null;--> statement-breakpoint
CREATE INDEX "refund_claims_of_deposit" ON "refund_claims" USING btree ("deposit_id") WHERE "refund_claims"."deposit_id" is not null;--> statement-breakpoint
CREATE INDEX "refund_claims_open" ON "refund_claims" USING btree ("expires_at") WHERE "refund_claims"."status" = 'open';--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_refund_claim_id_refund_claims_id_fk" FOREIGN KEY ("refund_claim_id") REFERENCES "public"."refund_claims"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
DROP INDEX "payouts_one_refund";--> statement-breakpoint
CREATE UNIQUE INDEX "payouts_one_refund" ON "payouts" USING btree ("invoice_id") WHERE "payouts"."invoice_id" is not null and "payouts"."status" = 'pending' and "payouts"."tx_hashes" = '{}';--> statement-breakpoint
CREATE INDEX "payouts_of_claim" ON "payouts" USING btree ("refund_claim_id") WHERE "payouts"."refund_claim_id" is not null;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_kind" CHECK ("payouts"."kind" in ('payout', 'refund')
        and ("payouts"."kind" = 'refund') = (num_nonnulls("payouts"."invoice_id", "payouts"."refund_claim_id") > 0));