ALTER TABLE "outgoing_transfers" DROP CONSTRAINT "outgoing_transfers_fee";--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD COLUMN "hot_fee_units" numeric(78, 0) DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "signed_transactions" ADD COLUMN "valid_until" bigint;--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD CONSTRAINT "outgoing_transfers_fee" CHECK ("outgoing_transfers"."fee_units" <> 'NaN' and "outgoing_transfers"."hot_fee_units" <> 'NaN');