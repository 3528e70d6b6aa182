CREATE TABLE "frozen_addresses" (
	"chain" text NOT NULL,
	"address" text NOT NULL,
	"reason" text NOT NULL,
	"frozen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "frozen_addresses_chain_address_pk" PRIMARY KEY("chain","address")
);
