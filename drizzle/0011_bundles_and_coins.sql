CREATE TABLE "coins" (
	"chain" text NOT NULL,
	"txid" text NOT NULL,
	"vout" bigint NOT NULL,
	"address" text NOT NULL,
	"key_role" text NOT NULL,
	"key_index" bigint,
	"units" numeric(78, 0) NOT NULL,
	"block_height" bigint,
	"block_hash" text,
	"claimed_by" text,
	"booked" boolean,
	CONSTRAINT "coins_chain_txid_vout_pk" PRIMARY KEY("chain","txid","vout"),
	CONSTRAINT "coins_vout" CHECK ("coins"."vout" >= 0),
	CONSTRAINT "coins_units" CHECK ("coins"."units" > 0 and "coins"."units" <> 'NaN'),
	CONSTRAINT "coins_key" CHECK ("coins"."key_role" in ('hot', 'deposit', 'change') and ("coins"."key_index" is null) = ("coins"."key_role" = 'hot')),
	CONSTRAINT "coins_booked" CHECK (("coins"."booked" is not null) = ("coins"."key_role" = 'hot'))
);
--> statement-breakpoint
ALTER TABLE "signed_transactions" RENAME COLUMN "transfer_id" TO "bundle_id";--> statement-breakpoint
ALTER TABLE "outgoing_transfers" DROP CONSTRAINT "outgoing_transfers_purpose";--> statement-breakpoint
ALTER TABLE "signed_transactions" DROP CONSTRAINT "signed_transactions_transfer_id_outgoing_transfers_id_fk";
--> statement-breakpoint
DROP INDEX "outgoing_transfers_one_per_sequence";--> statement-breakpoint
ALTER TABLE "signed_transactions" DROP CONSTRAINT "signed_transactions_transfer_id_ordinal_pk";--> statement-breakpoint
ALTER TABLE "signed_transactions" ADD CONSTRAINT "signed_transactions_bundle_id_ordinal_pk" PRIMARY KEY("bundle_id","ordinal");--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD COLUMN "bundle_id" text;--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD COLUMN "position" integer;--> statement-breakpoint
UPDATE "outgoing_transfers" SET "bundle_id" = "id", "position" = 0;--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ALTER COLUMN "bundle_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ALTER COLUMN "position" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "coins" ADD CONSTRAINT "coins_claimed_by_outgoing_transfers_id_fk" FOREIGN KEY ("claimed_by") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "coins_free" ON "coins" USING btree ("chain","units") WHERE "coins"."claimed_by" is null and "coins"."block_height" is not null;--> statement-breakpoint
CREATE INDEX "coins_of_bundle" ON "coins" USING btree ("claimed_by") WHERE "coins"."claimed_by" is not null;--> statement-breakpoint
CREATE INDEX "coins_unbooked" ON "coins" USING btree ("chain","block_height") WHERE not "coins"."booked";--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD CONSTRAINT "outgoing_transfers_bundle" FOREIGN KEY ("bundle_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signed_transactions" ADD CONSTRAINT "signed_transactions_bundle_id_outgoing_transfers_id_fk" FOREIGN KEY ("bundle_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "outgoing_transfers_of_bundle" ON "outgoing_transfers" USING btree ("bundle_id");--> statement-breakpoint
CREATE UNIQUE INDEX "outgoing_transfers_one_per_sequence" ON "outgoing_transfers" USING btree ("chain","wallet","sequence","position");--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD CONSTRAINT "outgoing_transfers_bundle_led" CHECK (("outgoing_transfers"."position" = 0) = ("outgoing_transfers"."bundle_id" = "outgoing_transfers"."id") and "outgoing_transfers"."position" >= 0);--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD CONSTRAINT "outgoing_transfers_purpose" CHECK ("outgoing_transfers"."purpose" in ('payout', 'sweep', 'topup', 'gap', 'bump', 'consolidation'));