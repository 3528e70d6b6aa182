ALTER TABLE "merchants" ADD COLUMN "default_tolerance_ppm" integer;--> statement-breakpoint
ALTER TABLE "merchants" ADD COLUMN "accepted_coins" text[];--> statement-breakpoint
ALTER TABLE "merchants" ADD COLUMN "default_webhook_format" text;--> statement-breakpoint
ALTER TABLE "merchants" ADD COLUMN "checkout_language" text;--> statement-breakpoint
ALTER TABLE "merchants" ADD COLUMN "approval_above_micro_usd" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_tolerance" CHECK ("merchants"."default_tolerance_ppm" between 0 and 100000);--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_accepted_coins" CHECK (cardinality("merchants"."accepted_coins") > 0);--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_webhook_format" CHECK ("merchants"."default_webhook_format" in ('native_v2', 'cryptomus', 'heleket', 'nowpayments', 'coinpayments', 'coinpayments_v2'));--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_checkout_language" CHECK ("merchants"."checkout_language" ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$');--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_approval" CHECK ("merchants"."approval_above_micro_usd" >= 0 and "merchants"."approval_above_micro_usd" <> 'NaN');