ALTER TABLE "counters" DROP CONSTRAINT "counters_stream";--> statement-breakpoint
ALTER TABLE "webhook_attempts" DROP CONSTRAINT "webhook_attempts_subject";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ALTER COLUMN "invoice_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ALTER COLUMN "url" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "merchants" ADD COLUMN "payout_webhooks" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "payout_id" text;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "event_seq" bigint;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "event_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_payout_id_payouts_id_fk" FOREIGN KEY ("payout_id") REFERENCES "public"."payouts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_events" ON "webhook_deliveries" USING btree ("merchant_id","sandbox","event_seq") WHERE "webhook_deliveries"."event_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_of_payout" ON "webhook_deliveries" USING btree ("payout_id","event_seq") WHERE "webhook_deliveries"."payout_id" is not null;--> statement-breakpoint
ALTER TABLE "counters" ADD CONSTRAINT "counters_stream" CHECK ("counters"."stream" in ('invoices', 'payouts', 'ledger', 'notifications', 'events'));--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_subject" CHECK ("webhook_attempts"."delivery_id" is not null or "webhook_attempts"."invoice_id" is null);--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_subject" CHECK (num_nonnulls("webhook_deliveries"."invoice_id", "webhook_deliveries"."payout_id") = 1);--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event" CHECK ("webhook_deliveries"."event_seq" >= 1 and ("webhook_deliveries"."event_at" is null or "webhook_deliveries"."event_seq" is not null)
        and ("webhook_deliveries"."event_at" is not null or ("webhook_deliveries"."url" is not null and "webhook_deliveries"."payout_id" is null)));--> statement-breakpoint
INSERT INTO counters (merchant_id, sandbox, stream, value, last_at)
  SELECT id, sandbox, 'events', 0, to_timestamp(0) FROM merchants, unnest(array[false, true]) sandbox;
