CREATE TABLE "invoice_emails" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"email" text NOT NULL,
	"seq" bigint NOT NULL,
	CONSTRAINT "invoice_emails_merchant_id_sandbox_email_seq_pk" PRIMARY KEY("merchant_id","sandbox","email","seq")
);
--> statement-breakpoint
CREATE INDEX "deposits_by_amount" ON "deposits" USING btree ("merchant_id","sandbox","asset","units","id");--> statement-breakpoint
-- From here on by hand: what the schema language cannot say.

-- What PostgreSQL cannot read (an escaped U+0000, for example) has no address, and harms no insert.
CREATE FUNCTION email_of(payer_info text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF payer_info NOT LIKE '%@%' THEN RETURN NULL; END IF;
  RETURN nullif(left(lower(trim(payer_info::json ->> 'email')), 254), '');
EXCEPTION WHEN OTHERS THEN RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION keep_invoice_emails() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO invoice_emails (merchant_id, sandbox, email, seq)
    SELECT merchant_id, sandbox, email, seq FROM (
      SELECT merchant_id, sandbox, email_of(payer_info) AS email, seq FROM now_so
      WHERE payer_info IS NOT NULL OFFSET 0) AS named
    WHERE email IS NOT NULL;
  ELSIF TG_OP = 'DELETE' THEN
    DELETE FROM invoice_emails e USING was_so w
    WHERE e.merchant_id = w.merchant_id AND e.sandbox = w.sandbox AND e.email = email_of(w.payer_info) AND e.seq = w.seq;
  ELSE
    DELETE FROM invoice_emails;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER email_added AFTER INSERT ON invoices REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_emails();
--> statement-breakpoint
CREATE TRIGGER email_removed AFTER DELETE ON invoices REFERENCING OLD TABLE AS was_so
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_emails();
--> statement-breakpoint
CREATE TRIGGER email_emptied AFTER TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_emails();
--> statement-breakpoint
-- Also where a load of rows turns triggers off.
ALTER TABLE invoices ENABLE ALWAYS TRIGGER email_added, ENABLE ALWAYS TRIGGER email_removed, ENABLE ALWAYS TRIGGER email_emptied;
--> statement-breakpoint
INSERT INTO invoice_emails (merchant_id, sandbox, email, seq)
SELECT merchant_id, sandbox, email_of(payer_info), seq FROM invoices
WHERE payer_info IS NOT NULL AND email_of(payer_info) IS NOT NULL;
