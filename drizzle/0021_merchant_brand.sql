CREATE TABLE "merchant_brands" (
	"merchant_id" text PRIMARY KEY NOT NULL,
	"name" text,
	"accent" text,
	"logo_type" text,
	"logo" "bytea",
	"logo_digest" text GENERATED ALWAYS AS (encode(sha256(logo), 'hex')) STORED,
	CONSTRAINT "merchant_brands_name" CHECK (char_length("merchant_brands"."name") between 1 and 80),
	CONSTRAINT "merchant_brands_accent" CHECK ("merchant_brands"."accent" ~ '^#[0-9a-f]{6}$'),
	CONSTRAINT "merchant_brands_logo_complete" CHECK (num_nulls("merchant_brands"."logo_type", "merchant_brands"."logo") in (0, 2)),
	CONSTRAINT "merchant_brands_logo_type" CHECK ("merchant_brands"."logo_type" in ('image/png', 'image/jpeg', 'image/webp')),
	CONSTRAINT "merchant_brands_logo_size" CHECK (octet_length("merchant_brands"."logo") between 1 and 131072)
);
--> statement-breakpoint
ALTER TABLE "merchant_brands" ADD CONSTRAINT "merchant_brands_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "merchant_brands_logo" ON "merchant_brands" USING btree ("logo_digest") WHERE "merchant_brands"."logo_digest" is not null;