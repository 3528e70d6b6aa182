CREATE TABLE "payment_links" (
	"id" text PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"mode" text NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"picture_type" text,
	"picture" "bytea",
	"picture_digest" text GENERATED ALWAYS AS (encode(sha256(picture), 'hex')) STORED,
	"fiat_currency" text NOT NULL,
	"amount_micros" numeric(78, 0),
	"least_micros" numeric(78, 0),
	"most_micros" numeric(78, 0),
	"suggested_micros" numeric(78, 0)[] NOT NULL,
	"tips" numeric(78, 0)[] NOT NULL,
	"accepted_coins" text[],
	"expires_at" timestamp with time zone,
	"stock" integer,
	"fields" text[] NOT NULL,
	"success_url" text,
	"notify_url" text,
	"extra" text,
	"ttl_seconds" integer NOT NULL,
	"active" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "payment_links_id" CHECK ("payment_links"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "payment_links_slug" CHECK ("payment_links"."slug" ~ '^[a-z0-9][a-z0-9-]{2,63}$'),
	CONSTRAINT "payment_links_mode" CHECK ("payment_links"."mode" in ('payment', 'donation', 'point_of_sale')),
	CONSTRAINT "payment_links_fiat_currency" CHECK ("payment_links"."fiat_currency" ~ '^[A-Z]{3}$'),
	CONSTRAINT "payment_links_amounts" CHECK ("payment_links"."amount_micros" > 0 and "payment_links"."amount_micros" <> 'NaN' and "payment_links"."least_micros" > 0 and "payment_links"."least_micros" <> 'NaN' and "payment_links"."most_micros" > 0 and "payment_links"."most_micros" <> 'NaN' and "payment_links"."least_micros" <= "payment_links"."most_micros"
        and ("payment_links"."amount_micros" is null or num_nonnulls("payment_links"."least_micros", "payment_links"."most_micros") = 0)
        and cardinality("payment_links"."suggested_micros") <= 6),
	CONSTRAINT "payment_links_till" CHECK (cardinality("payment_links"."tips") <= 4
        and case when "payment_links"."mode" = 'point_of_sale' then "payment_links"."amount_micros" is null else "payment_links"."tips" = '{}' end),
	CONSTRAINT "payment_links_stock" CHECK ("payment_links"."stock" between 1 and 1000000),
	CONSTRAINT "payment_links_fields" CHECK ("payment_links"."fields" <@ array['name', 'email', 'note']),
	CONSTRAINT "payment_links_ttl" CHECK ("payment_links"."ttl_seconds" between 300 and 86400),
	CONSTRAINT "payment_links_picture_complete" CHECK (num_nulls("payment_links"."picture_type", "payment_links"."picture") in (0, 2)),
	CONSTRAINT "payment_links_picture_type" CHECK ("payment_links"."picture_type" in ('image/png', 'image/jpeg', 'image/webp')),
	CONSTRAINT "payment_links_picture_size" CHECK (octet_length("payment_links"."picture") between 1 and 131072)
);
--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "payment_link_id" text;--> statement-breakpoint
ALTER TABLE "payment_links" ADD CONSTRAINT "payment_links_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "payment_links_slug" ON "payment_links" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "payment_links_by_time" ON "payment_links" USING btree ("merchant_id","sandbox","created_at","id");--> statement-breakpoint
CREATE INDEX "payment_links_picture" ON "payment_links" USING btree ("picture_digest") WHERE "payment_links"."picture_digest" is not null;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_payment_link_id_payment_links_id_fk" FOREIGN KEY ("payment_link_id") REFERENCES "public"."payment_links"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "invoices_by_link" ON "invoices" USING btree ("payment_link_id","status","seq") WHERE "invoices"."payment_link_id" is not null;