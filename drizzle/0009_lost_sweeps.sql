DROP INDEX "capital_bookings_one_per_block";--> statement-breakpoint
ALTER TABLE "coins" ADD COLUMN "spent_outside" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "capital_bookings" ADD COLUMN "address" text;--> statement-breakpoint
CREATE INDEX "coins_spent_outside" ON "coins" USING btree ("chain") WHERE "coins"."spent_outside";--> statement-breakpoint
CREATE UNIQUE INDEX "capital_bookings_one_per_address" ON "capital_bookings" USING btree ("chain","address","asset","block_height") WHERE "capital_bookings"."address" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "capital_bookings_one_per_block" ON "capital_bookings" USING btree ("chain","asset","block_height") WHERE "capital_bookings"."coin" is null and "capital_bookings"."address" is null;--> statement-breakpoint
ALTER TABLE "coins" ADD CONSTRAINT "coins_spent_outside" CHECK (not "coins"."spent_outside" or ("coins"."doubted" and "coins"."claimed_by" is null));--> statement-breakpoint
ALTER TABLE "capital_bookings" ADD CONSTRAINT "capital_bookings_place" CHECK ("capital_bookings"."coin" is null or "capital_bookings"."address" is null);--> statement-breakpoint
ALTER TABLE "coins" DROP CONSTRAINT "coins_booked";--> statement-breakpoint
ALTER TABLE "coins" ADD CONSTRAINT "coins_booked" CHECK (case "coins"."key_role" when 'hot' then "coins"."booked" is not null when 'deposit' then "coins"."booked" is null else true end);--> statement-breakpoint
-- Change of unknown transactions: what they spent is booked out of the capital from now on.
UPDATE "coins" SET "booked" = false WHERE "key_role" = 'change' AND "block_hash" IS NOT NULL;