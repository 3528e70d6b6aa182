CREATE TABLE "chain_identities" (
	"chain" text PRIMARY KEY NOT NULL,
	"network" text NOT NULL,
	"genesis" text,
	"noted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "chain_identities_network" CHECK ("chain_identities"."network" ~ '^(fake|main|test|stage|regtest|eip155:[1-9][0-9]*)$'),
	CONSTRAINT "chain_identities_genesis" CHECK ("chain_identities"."network" <> 'fake' or "chain_identities"."genesis" is null)
);
