ALTER TABLE "permanent_addresses" DROP CONSTRAINT "permanent_addresses_family";--> statement-breakpoint
ALTER TABLE "wallet_keys" DROP CONSTRAINT "wallet_keys_family";--> statement-breakpoint
ALTER TABLE "permanent_addresses" ADD CONSTRAINT "permanent_addresses_family" CHECK ("permanent_addresses"."family" ~ '^[a-z]+$');--> statement-breakpoint
ALTER TABLE "wallet_keys" ADD CONSTRAINT "wallet_keys_family" CHECK ("wallet_keys"."family" ~ '^[a-z]+$');