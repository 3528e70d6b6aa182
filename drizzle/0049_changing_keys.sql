CREATE TABLE "webhook_secrets" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"sealed" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"older_sealed" text,
	"older_until" timestamp with time zone,
	CONSTRAINT "webhook_secrets_merchant_id_sandbox_pk" PRIMARY KEY("merchant_id","sandbox"),
	CONSTRAINT "webhook_secrets_older_complete" CHECK (num_nulls("webhook_secrets"."older_sealed", "webhook_secrets"."older_until") in (0, 2))
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "lives_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "first_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_one_older" ON "api_keys" USING btree ("merchant_id","sandbox") WHERE "api_keys"."lives_until" is not null;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_older_is_revoked" CHECK ("api_keys"."lives_until" is null or "api_keys"."revoked_at" is not null);