CREATE TABLE "derived_addresses" (
	"family" text NOT NULL,
	"derivation_index" bigint NOT NULL,
	"address" text NOT NULL,
	CONSTRAINT "derived_addresses_family_derivation_index_pk" PRIMARY KEY("family","derivation_index"),
	CONSTRAINT "derived_addresses_index" CHECK ("derived_addresses"."derivation_index" >= 0 and "derived_addresses"."derivation_index" < 2147483648)
);
--> statement-breakpoint
CREATE UNIQUE INDEX "derived_addresses_once" ON "derived_addresses" USING btree ("family","address");