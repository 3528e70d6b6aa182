CREATE TABLE "webhook_queue" (
	"delivery_id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"attempts" integer NOT NULL,
	"leased_until" timestamp with time zone,
	"dead_at" timestamp with time zone,
	CONSTRAINT "webhook_queue_attempts" CHECK ("webhook_queue"."attempts" >= 0 and ("webhook_queue"."attempts" > 0 or ("webhook_queue"."leased_until" is null and "webhook_queue"."dead_at" is null))),
	CONSTRAINT "webhook_queue_dead_not_leased" CHECK ("webhook_queue"."dead_at" is null or "webhook_queue"."leased_until" is null)
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_state";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_ended";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_attempts";--> statement-breakpoint
DROP INDEX "webhook_deliveries_due";--> statement-breakpoint
DROP INDEX "webhook_deliveries_due_by_merchant";--> statement-breakpoint
DROP INDEX "webhook_deliveries_dead";--> statement-breakpoint
ALTER TABLE "webhook_queue" ADD CONSTRAINT "webhook_queue_delivery_id_webhook_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."webhook_deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_queue_due" ON "webhook_queue" USING btree ("due_at","delivery_id") WHERE "webhook_queue"."dead_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_queue_due_by_merchant" ON "webhook_queue" USING btree ("merchant_id","due_at","delivery_id") WHERE "webhook_queue"."dead_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_queue_dead" ON "webhook_queue" USING btree ("dead_at","delivery_id") WHERE "webhook_queue"."dead_at" is not null;--> statement-breakpoint
-- What is not delivered moves to the queue, before the columns that say so go.
INSERT INTO webhook_queue (delivery_id, merchant_id, due_at, attempts, leased_until, dead_at)
  SELECT id, merchant_id, due_at, attempts, leased_until, ended_at FROM webhook_deliveries WHERE state <> 'delivered';
--> statement-breakpoint
-- Claims rewrite a row on its own page; deliveries are not rewritten any more.
ALTER TABLE webhook_queue SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE webhook_deliveries RESET (fillfactor);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" DROP COLUMN "state";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" DROP COLUMN "attempts";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" DROP COLUMN "due_at";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" DROP COLUMN "leased_until";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" DROP COLUMN "ended_at";