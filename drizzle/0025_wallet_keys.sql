CREATE TABLE "wallet_keys" (
	"family" text NOT NULL,
	"fingerprint" text NOT NULL,
	"noted_at" timestamp with time zone NOT NULL,
	"replaced_at" timestamp with time zone,
	CONSTRAINT "wallet_keys_family_fingerprint_pk" PRIMARY KEY("family","fingerprint"),
	CONSTRAINT "wallet_keys_family" CHECK ("wallet_keys"."family" in ('evm', 'bitcoin', 'litecoin', 'bitcoincash', 'tron', 'solana', 'xrp', 'ton', 'monero')),
	CONSTRAINT "wallet_keys_fingerprint" CHECK ("wallet_keys"."fingerprint" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_keys_one_wallet" ON "wallet_keys" USING btree ("family") WHERE "wallet_keys"."replaced_at" is null;