ALTER TABLE "merchant_brands" ADD COLUMN "support" text;--> statement-breakpoint
ALTER TABLE "merchant_brands" ADD COLUMN "legal_name" text;--> statement-breakpoint
ALTER TABLE "merchant_brands" ADD COLUMN "terms_url" text;--> statement-breakpoint
ALTER TABLE "merchant_brands" ADD COLUMN "frame_ancestors" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "merchant_brands" ADD CONSTRAINT "merchant_brands_legal_name" CHECK (char_length("merchant_brands"."legal_name") between 1 and 80);--> statement-breakpoint
ALTER TABLE "merchant_brands" ADD CONSTRAINT "merchant_brands_support" CHECK (char_length("merchant_brands"."support") between 1 and 254);--> statement-breakpoint
ALTER TABLE "merchant_brands" ADD CONSTRAINT "merchant_brands_terms_url" CHECK (char_length("merchant_brands"."terms_url") between 1 and 254);--> statement-breakpoint
ALTER TABLE "merchant_brands" ADD CONSTRAINT "merchant_brands_frame_ancestors" CHECK (cardinality("merchant_brands"."frame_ancestors") <= 20);