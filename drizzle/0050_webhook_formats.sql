ALTER TABLE "permanent_addresses" ADD COLUMN "webhook_format" text DEFAULT 'native_v2' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "format" text DEFAULT 'native_v2' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "foreign_body" text;--> statement-breakpoint
ALTER TABLE "permanent_addresses" ADD CONSTRAINT "permanent_addresses_webhook_format" CHECK ("permanent_addresses"."webhook_format" in ('native_v2', 'cryptomus', 'heleket', 'nowpayments', 'coinpayments', 'coinpayments_v2'));--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_format" CHECK ("webhook_deliveries"."format" in ('native_v2', 'cryptomus', 'heleket', 'nowpayments', 'coinpayments', 'coinpayments_v2'));--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_foreign_body" CHECK (("webhook_deliveries"."format" = 'native_v2') = ("webhook_deliveries"."foreign_body" is null));