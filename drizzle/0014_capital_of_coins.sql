DROP INDEX "capital_bookings_one_per_block";--> statement-breakpoint
ALTER TABLE "capital_bookings" ADD COLUMN "coin" text;--> statement-breakpoint
CREATE UNIQUE INDEX "capital_bookings_one_per_coin" ON "capital_bookings" USING btree ("chain","coin") WHERE "capital_bookings"."coin" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "capital_bookings_one_per_block" ON "capital_bookings" USING btree ("chain","asset","block_height") WHERE "capital_bookings"."coin" is null;