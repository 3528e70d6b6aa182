ALTER TABLE "deposits" ADD COLUMN "locked_until" bigint;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "encumbered" boolean DEFAULT false NOT NULL;