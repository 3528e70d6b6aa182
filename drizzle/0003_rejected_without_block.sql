DROP INDEX "deposits_without_block";--> statement-breakpoint
CREATE INDEX "deposits_without_block" ON "deposits" USING btree ("chain") WHERE "deposits"."block_height" is null
          and "deposits"."status" in ('confirming', 'arrived', 'credited', 'held', 'rejected', 'stray');