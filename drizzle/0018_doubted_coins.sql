DROP INDEX "capital_bookings_one_per_coin";--> statement-breakpoint
ALTER TABLE "coins" ADD COLUMN "doubted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "coins_doubted" ON "coins" USING btree ("chain") WHERE "coins"."doubted";--> statement-breakpoint
CREATE INDEX "coins_booked_without_block" ON "coins" USING btree ("chain") WHERE "coins"."booked" and "coins"."block_height" is null;--> statement-breakpoint
CREATE INDEX "coins_change_addresses" ON "coins" USING btree ("address") WHERE "coins"."key_role" = 'change';--> statement-breakpoint
CREATE INDEX "capital_bookings_of_coin" ON "capital_bookings" USING btree ("chain","coin") WHERE "capital_bookings"."coin" is not null;