CREATE TABLE "invoice_extras" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"extra" text NOT NULL,
	"seq" bigint NOT NULL,
	CONSTRAINT "invoice_extras_merchant_id_sandbox_extra_seq_pk" PRIMARY KEY("merchant_id","sandbox","extra","seq")
);
--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "updated_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "updated_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "invoices_by_update" ON "invoices" USING btree ("merchant_id","sandbox",coalesce("updated_at", "processed_at", "created_at"),"seq");--> statement-breakpoint
CREATE INDEX "invoices_by_user" ON "invoices" USING btree ("merchant_id","sandbox","user_id","seq") WHERE "invoices"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "payouts_by_update" ON "payouts" USING btree ("merchant_id","sandbox",coalesce("updated_at", "processed_at", "created_at"),"seq") WHERE "payouts"."seq" is not null;--> statement-breakpoint
CREATE INDEX "payouts_by_ref" ON "payouts" USING btree ("merchant_id","sandbox","ref","seq") WHERE "payouts"."ref" is not null;--> statement-breakpoint
CREATE INDEX "payouts_by_address" ON "payouts" USING btree ("merchant_id","sandbox",lower("address"),"seq");--> statement-breakpoint
CREATE INDEX "payouts_by_transaction" ON "payouts" USING gin ("tx_hashes") WITH (fastupdate=false) WHERE "payouts"."tx_hashes" <> '{}';--> statement-breakpoint
-- An instance of before this may write beside one of after it: so a trigger keeps the references, whoever creates the invoice.
CREATE FUNCTION keep_invoice_extras() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO invoice_extras (merchant_id, sandbox, extra, seq)
    SELECT merchant_id, sandbox, extra, seq FROM now_so WHERE extra IS NOT NULL;
  ELSIF TG_OP = 'DELETE' THEN
    DELETE FROM invoice_extras e USING was_so w
    WHERE e.merchant_id = w.merchant_id AND e.sandbox = w.sandbox AND e.extra = w.extra AND e.seq = w.seq;
  ELSE
    DELETE FROM invoice_extras;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER extra_added AFTER INSERT ON invoices REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_extras();
--> statement-breakpoint
CREATE TRIGGER extra_removed AFTER DELETE ON invoices REFERENCING OLD TABLE AS was_so
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_extras();
--> statement-breakpoint
CREATE TRIGGER extra_emptied AFTER TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_extras();
--> statement-breakpoint
-- Also where a load of rows turns triggers off.
ALTER TABLE invoices ENABLE ALWAYS TRIGGER extra_added, ENABLE ALWAYS TRIGGER extra_removed, ENABLE ALWAYS TRIGGER extra_emptied;
--> statement-breakpoint
-- The triggers hold the table still until this is committed.
INSERT INTO invoice_extras (merchant_id, sandbox, extra, seq)
SELECT merchant_id, sandbox, extra, seq FROM invoices WHERE extra IS NOT NULL ORDER BY 1, 2, 3, 4;
