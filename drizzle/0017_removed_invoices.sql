CREATE TABLE "removed_invoices" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"block" bigint NOT NULL,
	"numbers" bit(16384) NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "removed_invoices_merchant_id_sandbox_block_pk" PRIMARY KEY("merchant_id","sandbox","block"),
	CONSTRAINT "removed_invoices_count" CHECK ("removed_invoices"."count" = bit_count("removed_invoices"."numbers") and "removed_invoices"."count" > 0)
);

--> statement-breakpoint
-- From here on by hand. Where all invoices go, none is removed any more.
CREATE FUNCTION forget_removed_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM removed_invoices;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER removed_emptied AFTER TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION forget_removed_invoices();
--> statement-breakpoint
-- Also where a load of rows turns triggers off.
ALTER TABLE invoices ENABLE ALWAYS TRIGGER removed_emptied;
