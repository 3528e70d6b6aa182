-- What is there already was signed by a version that may have booked its fee never or twice.
ALTER TABLE "signed_transactions" ADD COLUMN "fee_compared" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "signed_transactions" ALTER COLUMN "fee_compared" SET DEFAULT true;
