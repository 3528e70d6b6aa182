ALTER TABLE "chain_cursors" ADD COLUMN "read_at" timestamp with time zone;--> statement-breakpoint
-- What was covered by our own clock becomes the time of the block: a clock that was wrong must not end invoices.
UPDATE "chain_cursors" c SET "read_at" = c."covered_until", "covered_until" = coalesce(
  (SELECT to_timestamp(b."time") FROM "chain_blocks" b WHERE b."chain" = c."chain" AND b."height" = c."height"), c."covered_until");
