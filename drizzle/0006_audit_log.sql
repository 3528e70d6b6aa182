CREATE TABLE "audit_log" (
	"id" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_user_id" text,
	"actor_name" text NOT NULL,
	"actor_ip" text,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"subject_id" text,
	"merchant_id" text,
	"note" text,
	"before" text,
	"after" text,
	CONSTRAINT "audit_log_id" CHECK ("audit_log"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "audit_log_actor_kind" CHECK ("audit_log"."actor_kind" in ('user', 'script', 'system')),
	CONSTRAINT "audit_log_actor" CHECK (("audit_log"."actor_kind" = 'user') = ("audit_log"."actor_user_id" is not null)),
	CONSTRAINT "audit_log_actor_name" CHECK ("audit_log"."actor_name" <> ''),
	CONSTRAINT "audit_log_action" CHECK ("audit_log"."action" ~ '^[a-z_]+\.[a-z_]+$'),
	CONSTRAINT "audit_log_subject" CHECK ("audit_log"."subject" in ('user', 'session', 'invitation', 'approval', 'merchant', 'api_key', 'webhook_secret', 'brand', 'link', 'invoice', 'deposit', 'payout', 'refund', 'permanent_address', 'delivery', 'sweep', 'address', 'capital', 'signing', 'wallet', 'chain', 'list'))
);
--> statement-breakpoint
CREATE INDEX "audit_log_by_merchant" ON "audit_log" USING btree ("merchant_id","id") WHERE "audit_log"."merchant_id" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_by_subject" ON "audit_log" USING btree ("subject","subject_id","id");--> statement-breakpoint
-- By hand: nobody changes or deletes an entry.
CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only: % on % refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'audit_log_is_append_only';
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
--> statement-breakpoint
CREATE TRIGGER audit_log_not_emptied BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
--> statement-breakpoint
-- Also where a load of rows turns triggers off.
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only, ENABLE ALWAYS TRIGGER audit_log_not_emptied;
