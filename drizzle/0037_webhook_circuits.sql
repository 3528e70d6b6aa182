CREATE TABLE "webhook_circuits" (
	"destination" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"silences" integer NOT NULL,
	"failed_trials" integer NOT NULL,
	"try_at" timestamp with time zone,
	"merchants" text[] NOT NULL,
	"silent_since" timestamp with time zone NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	"reason" text NOT NULL,
	CONSTRAINT "webhook_circuits_state" CHECK ("webhook_circuits"."state" in ('closed', 'open', 'half_open')),
	CONSTRAINT "webhook_circuits_try_at" CHECK (("webhook_circuits"."state" = 'closed') = ("webhook_circuits"."try_at" is null)),
	CONSTRAINT "webhook_circuits_counts" CHECK ("webhook_circuits"."silences" >= 1 and "webhook_circuits"."failed_trials" >= 0)
);
--> statement-breakpoint
ALTER TABLE "webhook_queue" DROP CONSTRAINT "webhook_queue_attempts";--> statement-breakpoint
DROP INDEX "webhook_queue_due_by_merchant";--> statement-breakpoint
ALTER TABLE "webhook_queue" ADD COLUMN "destination" text DEFAULT '-' NOT NULL;--> statement-breakpoint
-- As destinationOf in domain/webhook-url.ts, but for the odd spellings that only a URL parser knows: they are a destination of their own.
UPDATE webhook_queue q
  SET destination = lower(found[1]) || '://' || rtrim(regexp_replace(lower(found[2]), ':\d*$', ''), '.') || ':'
    || coalesce(substring(found[2] from ':(\d+)$'), case lower(found[1]) when 'https' then '443' else '80' end)
  FROM webhook_deliveries d, regexp_match(d.url, '^(https?)://([^/?#]+)', 'i') found
  WHERE d.id = q.delivery_id AND found IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "webhook_queue_lanes" ON "webhook_queue" USING btree ("merchant_id","destination","due_at","delivery_id") WHERE "webhook_queue"."dead_at" is null;--> statement-breakpoint
ALTER TABLE "webhook_queue" ADD CONSTRAINT "webhook_queue_attempts" CHECK ("webhook_queue"."attempts" >= 0 and ("webhook_queue"."attempts" > 0 or "webhook_queue"."leased_until" is null));