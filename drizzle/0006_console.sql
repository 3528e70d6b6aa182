CREATE TABLE "invoice_emails" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"email" text NOT NULL,
	"seq" bigint NOT NULL,
	CONSTRAINT "invoice_emails_merchant_id_sandbox_email_seq_pk" PRIMARY KEY("merchant_id","sandbox","email","seq")
);
--> statement-breakpoint
CREATE TABLE "forward_requests" (
	"asset" text PRIMARY KEY NOT NULL,
	"chain" text NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ceremonies" (
	"key" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"session_id" text,
	"sealed" text,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "ceremonies_key" CHECK ("ceremonies"."key" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "ceremonies_kind" CHECK ("ceremonies"."kind" in ('codes', 'passkey', 'second_factor', 'sign_in')),
	CONSTRAINT "ceremonies_of" CHECK (("ceremonies"."session_id" is null) = ("ceremonies"."kind" = 'sign_in') and ("ceremonies"."sealed" is null) = ("ceremonies"."kind" = 'sign_in'))
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" text PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"kind" text NOT NULL,
	"email" text NOT NULL,
	"merchant_id" text,
	"merchant_name" text,
	"role" text,
	"refund_limit_micro_usd" numeric(78, 0),
	"invited_by" text,
	"expires_at" timestamp with time zone NOT NULL,
	"accepted_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "invitations_id" CHECK ("invitations"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "invitations_token_hash" CHECK ("invitations"."token_hash" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "invitations_kind" CHECK ("invitations"."kind" in ('invitation', 'reset', 'registration')),
	CONSTRAINT "invitations_email_form" CHECK ("invitations"."email" ~ '^[!#-:=?[-~]+@[!#-:=?[-~]+[.][!#-:=?[-~]+$' and char_length("invitations"."email") <= 254),
	CONSTRAINT "invitations_role" CHECK (case when "invitations"."kind" <> 'invitation' then "invitations"."role" is null and "invitations"."merchant_id" is null
        when "invitations"."merchant_id" is null then coalesce("invitations"."role" in ('admin', 'treasurer', 'viewer'), false)
        else coalesce("invitations"."role" in ('owner', 'developer', 'accountant', 'support'), false) end),
	CONSTRAINT "invitations_merchant_name" CHECK (("invitations"."merchant_name" is not null) = ("invitations"."kind" = 'registration')
        and char_length("invitations"."merchant_name") between 1 and 200),
	CONSTRAINT "invitations_refund_limit" CHECK ("invitations"."refund_limit_micro_usd" >= 0 and "invitations"."refund_limit_micro_usd" <> 'NaN' and ("invitations"."refund_limit_micro_usd" is null or "invitations"."merchant_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "known_networks" (
	"user_id" text NOT NULL,
	"network" text NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "known_networks_user_id_network_pk" PRIMARY KEY("user_id","network"),
	CONSTRAINT "known_networks_network" CHECK ("known_networks"."network" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"user_id" text NOT NULL,
	"merchant_id" text NOT NULL,
	"role" text NOT NULL,
	"refund_limit_micro_usd" numeric(78, 0),
	"is_operator" boolean DEFAULT false NOT NULL,
	CONSTRAINT "memberships_user_id_merchant_id_pk" PRIMARY KEY("user_id","merchant_id"),
	CONSTRAINT "memberships_role" CHECK ("memberships"."role" in ('owner', 'developer', 'accountant', 'support')),
	CONSTRAINT "memberships_refund_limit" CHECK ("memberships"."refund_limit_micro_usd" >= 0 and "memberships"."refund_limit_micro_usd" <> 'NaN'),
	CONSTRAINT "memberships_is_operator" CHECK (not "memberships"."is_operator")
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"credential_id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"sign_count" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "passkeys_credential_id" CHECK ("passkeys"."credential_id" ~ '^[A-Za-z0-9_-]+$' and char_length("passkeys"."credential_id") <= 1366),
	CONSTRAINT "passkeys_public_key" CHECK (octet_length("passkeys"."public_key") between 1 and 4096),
	CONSTRAINT "passkeys_sign_count" CHECK ("passkeys"."sign_count" >= 0),
	CONSTRAINT "passkeys_name" CHECK (char_length("passkeys"."name") between 1 and 100)
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" text NOT NULL,
	"code_hash" text NOT NULL,
	"used_at" timestamp with time zone,
	CONSTRAINT "recovery_codes_user_id_code_hash_pk" PRIMARY KEY("user_id","code_hash"),
	CONSTRAINT "recovery_codes_code_hash" CHECK ("recovery_codes"."code_hash" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"user_id" text NOT NULL,
	"second_factor_at" timestamp with time zone,
	"ip" text,
	"user_agent" text,
	"created_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sessions_id" CHECK ("sessions"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "sessions_token_hash" CHECK ("sessions"."token_hash" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "sign_in_attempts" (
	"key" text PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sign_in_attempts_key" CHECK ("sign_in_attempts"."key" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "sign_in_attempts_failures" CHECK ("sign_in_attempts"."failures" >= 0)
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"operator_role" text,
	"is_operator" boolean GENERATED ALWAYS AS (operator_role is not null) STORED NOT NULL,
	"password_hash" text NOT NULL,
	"codes_sealed" text,
	"codes_step" integer,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "users_side" UNIQUE("id","is_operator"),
	CONSTRAINT "users_id" CHECK ("users"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "users_email_form" CHECK ("users"."email" ~ '^[!#-:=?[-~]+@[!#-:=?[-~]+[.][!#-:=?[-~]+$' and char_length("users"."email") <= 254),
	CONSTRAINT "users_name" CHECK (char_length("users"."name") between 1 and 100),
	CONSTRAINT "users_status" CHECK ("users"."status" in ('active', 'disabled')),
	CONSTRAINT "users_operator_role" CHECK ("users"."operator_role" in ('admin', 'treasurer', 'viewer')),
	CONSTRAINT "users_password" CHECK ("users"."password_hash" like '$argon2id$%'),
	CONSTRAINT "users_codes" CHECK ("users"."codes_sealed" is not null or "users"."codes_step" is null)
);
--> statement-breakpoint
CREATE TABLE "approvals" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"merchant_id" text,
	"sandbox" boolean,
	"status" text NOT NULL,
	"order" text NOT NULL,
	"amount_micro_usd" numeric(78, 0),
	"form_id" uuid NOT NULL,
	"uniq_id" uuid NOT NULL,
	"requested_by" text NOT NULL,
	"requested_by_name" text NOT NULL,
	"decided_by" text,
	"decided_by_name" text,
	"note" text,
	"made" text,
	"failure_code" text,
	"failure_message" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"decided_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "approvals_id" CHECK ("approvals"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "approvals_kind" CHECK ("approvals"."kind" in ('payout', 'payout_batch', 'refund_offer', 'approval_limit', 'allowed_subnets', 'payout_release', 'restored_release', 'operator_refund_offer', 'operator_refund', 'capital_booking')),
	CONSTRAINT "approvals_merchant" CHECK (("approvals"."merchant_id" is null) = ("approvals"."kind" in ('payout_release', 'restored_release', 'operator_refund_offer', 'operator_refund', 'capital_booking'))),
	CONSTRAINT "approvals_sandbox" CHECK (("approvals"."sandbox" is not null) = ("approvals"."kind" in ('payout', 'payout_batch', 'refund_offer'))),
	CONSTRAINT "approvals_status" CHECK ("approvals"."status" in ('waiting', 'approved', 'done', 'failed', 'refused', 'expired', 'withdrawn')),
	CONSTRAINT "approvals_amount" CHECK ("approvals"."amount_micro_usd" >= 0 and "approvals"."amount_micro_usd" <> 'NaN'),
	CONSTRAINT "approvals_requested_by" CHECK ("approvals"."requested_by" ~ '^[0-9a-f]{24}$' and "approvals"."requested_by_name" <> ''),
	CONSTRAINT "approvals_four_eyes" CHECK ("approvals"."decided_by" ~ '^[0-9a-f]{24}$' and "approvals"."decided_by" <> "approvals"."requested_by"),
	CONSTRAINT "approvals_decided" CHECK (num_nulls("approvals"."decided_by", "approvals"."decided_by_name", "approvals"."decided_at") in (0, 3)
        and ("approvals"."decided_by" is null or "approvals"."status" in ('approved', 'done', 'failed', 'refused'))
        and ("approvals"."decided_by" is not null or "approvals"."status" <> 'refused')),
	CONSTRAINT "approvals_note" CHECK ("approvals"."note" is null or "approvals"."status" = 'refused'),
	CONSTRAINT "approvals_made" CHECK (("approvals"."made" is not null) = ("approvals"."status" = 'done')),
	CONSTRAINT "approvals_failure" CHECK (num_nulls("approvals"."failure_code", "approvals"."failure_message") in (0, 2)
        and ("approvals"."failure_code" is not null) = ("approvals"."status" = 'failed')),
	CONSTRAINT "approvals_ended" CHECK (("approvals"."ended_at" is null) = ("approvals"."status" in ('waiting', 'approved')))
);
--> statement-breakpoint
CREATE TABLE "reconciliations" (
	"at" timestamp with time zone NOT NULL,
	"agree" boolean NOT NULL,
	"faults" integer NOT NULL,
	"chains" text NOT NULL
);
--> statement-breakpoint
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
	CONSTRAINT "audit_log_subject" CHECK ("audit_log"."subject" in ('user', 'session', 'invitation', 'approval', 'merchant', 'api_key', 'webhook_secret', 'brand', 'link', 'invoice', 'deposit', 'payout', 'refund', 'permanent_address', 'delivery', 'sweep', 'forward', 'address', 'capital', 'signing', 'wallet', 'chain', 'list', 'database'))
);
--> statement-breakpoint
CREATE TABLE "credit_requests" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"deposit_id" text NOT NULL,
	"status" text NOT NULL,
	"requested_by" text NOT NULL,
	"reason" text NOT NULL,
	"decided_by" text,
	"answer" text,
	"created_at" timestamp with time zone NOT NULL,
	"decided_at" timestamp with time zone,
	CONSTRAINT "credit_requests_id" CHECK ("credit_requests"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "credit_requests_status" CHECK ("credit_requests"."status" in ('requested', 'granted', 'declined')),
	CONSTRAINT "credit_requests_texts" CHECK (char_length("credit_requests"."reason") <= 500 and char_length("credit_requests"."answer") <= 500),
	CONSTRAINT "credit_requests_decided" CHECK (("credit_requests"."decided_at" is null) = ("credit_requests"."status" = 'requested')
        and ("credit_requests"."decided_at" is not null or num_nonnulls("credit_requests"."decided_by", "credit_requests"."answer") = 0))
);
--> statement-breakpoint
CREATE TABLE "day_figure_changes" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"day" date NOT NULL,
	"figure" text NOT NULL,
	"label" text NOT NULL,
	"count" bigint NOT NULL,
	"units" numeric(78, 0) NOT NULL,
	"micro_usd" numeric(78, 0) NOT NULL,
	"fee_micro_usd" numeric(78, 0) NOT NULL,
	CONSTRAINT "day_figure_changes_figure" CHECK ("day_figure_changes"."figure" in ('balance', 'received', 'sent', 'refunded', 'network_fee', 'invoices'))
);
--> statement-breakpoint
CREATE TABLE "day_figures" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"day" date NOT NULL,
	"figure" text NOT NULL,
	"label" text NOT NULL,
	"count" bigint NOT NULL,
	"units" numeric(78, 0) NOT NULL,
	"micro_usd" numeric(78, 0) NOT NULL,
	"fee_micro_usd" numeric(78, 0) NOT NULL,
	CONSTRAINT "day_figures_merchant_id_sandbox_day_figure_label_pk" PRIMARY KEY("merchant_id","sandbox","day","figure","label"),
	CONSTRAINT "day_figures_figure" CHECK ("day_figures"."figure" in ('balance', 'received', 'sent', 'refunded', 'network_fee', 'invoices'))
);
--> statement-breakpoint
CREATE TABLE "newest_backup" (
	"singleton" boolean PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"kind" text NOT NULL,
	CONSTRAINT "newest_backup_singleton" CHECK ("newest_backup"."singleton"),
	CONSTRAINT "newest_backup_kind" CHECK ("newest_backup"."kind" in ('made', 'noted'))
);
--> statement-breakpoint
CREATE TABLE "operator_notice_deliveries" (
	"notice_id" text NOT NULL,
	"message" text NOT NULL,
	"channel" text NOT NULL,
	"recipient" text NOT NULL,
	"status" text NOT NULL,
	"tries" integer NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"failure" text,
	"told" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "operator_notice_deliveries_pk" PRIMARY KEY("notice_id","message","channel","recipient"),
	CONSTRAINT "operator_notice_deliveries_message" CHECK ("operator_notice_deliveries"."message" in ('raised', 'again', 'over')),
	CONSTRAINT "operator_notice_deliveries_channel" CHECK ("operator_notice_deliveries"."channel" in ('mail', 'webhook')),
	CONSTRAINT "operator_notice_deliveries_recipient" CHECK (char_length("operator_notice_deliveries"."recipient") <= 254 and ("operator_notice_deliveries"."recipient" = '') = ("operator_notice_deliveries"."channel" = 'webhook')),
	CONSTRAINT "operator_notice_deliveries_status" CHECK ("operator_notice_deliveries"."status" in ('queued', 'sent', 'given_up')),
	CONSTRAINT "operator_notice_deliveries_failure" CHECK ("operator_notice_deliveries"."failure" in ('refused', 'unreachable') and ("operator_notice_deliveries"."failure" is not null or "operator_notice_deliveries"."status" <> 'given_up')),
	CONSTRAINT "operator_notice_deliveries_told" CHECK ("operator_notice_deliveries"."told" in ('noted', 'open', 'over', 'renewed') and ("operator_notice_deliveries"."told" is not null) = ("operator_notice_deliveries"."status" = 'sent')),
	CONSTRAINT "operator_notice_deliveries_tries" CHECK ("operator_notice_deliveries"."tries" >= 0)
);
--> statement-breakpoint
CREATE TABLE "operator_notices" (
	"id" text PRIMARY KEY NOT NULL,
	"event" text NOT NULL,
	"subject" text NOT NULL,
	"fields" text NOT NULL,
	"status" text NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	"count" integer NOT NULL,
	"over_at" timestamp with time zone,
	CONSTRAINT "operator_notices_id" CHECK ("operator_notices"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "operator_notices_event" CHECK ("operator_notices"."event" ~ '^[a-z_]+\.[a-z_]+$'),
	CONSTRAINT "operator_notices_status" CHECK ("operator_notices"."status" in ('noted', 'open', 'over', 'renewed')),
	CONSTRAINT "operator_notices_over" CHECK (("operator_notices"."status" = 'over') = ("operator_notices"."over_at" is not null)),
	CONSTRAINT "operator_notices_times" CHECK ("operator_notices"."first_at" <= "operator_notices"."last_at" and "operator_notices"."first_at" <= "operator_notices"."over_at"),
	CONSTRAINT "operator_notices_count" CHECK ("operator_notices"."count" >= 1)
);
--> statement-breakpoint
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_house";--> statement-breakpoint
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_kind";--> statement-breakpoint
ALTER TABLE "outgoing_transfers" DROP CONSTRAINT "outgoing_transfers_purpose";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "accepted_units" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "merchants" ADD COLUMN "default_tolerance_ppm" integer;--> statement-breakpoint
ALTER TABLE "merchants" ADD COLUMN "accepted_coins" text[];--> statement-breakpoint
ALTER TABLE "merchants" ADD COLUMN "default_webhook_format" text;--> statement-breakpoint
ALTER TABLE "merchants" ADD COLUMN "checkout_language" text;--> statement-breakpoint
ALTER TABLE "merchants" ADD COLUMN "approval_above_micro_usd" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "ceremonies" ADD CONSTRAINT "ceremonies_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "known_networks" ADD CONSTRAINT "known_networks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_no_operator" FOREIGN KEY ("user_id","is_operator") REFERENCES "public"."users"("id","is_operator") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_requests" ADD CONSTRAINT "credit_requests_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_requests" ADD CONSTRAINT "credit_requests_deposit_id_deposits_id_fk" FOREIGN KEY ("deposit_id") REFERENCES "public"."deposits"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_notice_deliveries" ADD CONSTRAINT "operator_notice_deliveries_notice_id_operator_notices_id_fk" FOREIGN KEY ("notice_id") REFERENCES "public"."operator_notices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ceremonies_of_session" ON "ceremonies" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "ceremonies_expire" ON "ceremonies" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_token" ON "invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "invitations_of_email" ON "invitations" USING btree ("email");--> statement-breakpoint
CREATE INDEX "invitations_of_merchant" ON "invitations" USING btree ("merchant_id");--> statement-breakpoint
CREATE INDEX "invitations_by_inviter" ON "invitations" USING btree ("invited_by");--> statement-breakpoint
CREATE INDEX "invitations_expire" ON "invitations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "known_networks_by_age" ON "known_networks" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "memberships_of_merchant" ON "memberships" USING btree ("merchant_id");--> statement-breakpoint
CREATE INDEX "passkeys_of_user" ON "passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_token" ON "sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "sessions_of_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_by_age" ON "sign_in_attempts" USING btree ("last_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_once_a_form" ON "approvals" USING btree ("requested_by","form_id");--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_uniq_id" ON "approvals" USING btree ("uniq_id");--> statement-breakpoint
CREATE INDEX "approvals_of_merchant" ON "approvals" USING btree ("merchant_id","id");--> statement-breakpoint
CREATE INDEX "approvals_waiting" ON "approvals" USING btree ("expires_at") WHERE "approvals"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "approvals_approved" ON "approvals" USING btree ("created_at") WHERE "approvals"."status" = 'approved';--> statement-breakpoint
CREATE INDEX "approvals_alone" ON "approvals" USING btree ("requested_by","created_at") WHERE "approvals"."decided_by" is null and "approvals"."status" in ('approved', 'done');--> statement-breakpoint
CREATE INDEX "reconciliations_at" ON "reconciliations" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_log_by_merchant" ON "audit_log" USING btree ("merchant_id","id") WHERE "audit_log"."merchant_id" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_by_subject" ON "audit_log" USING btree ("subject","subject_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "credit_requests_one_open" ON "credit_requests" USING btree ("deposit_id") WHERE "credit_requests"."status" = 'requested';--> statement-breakpoint
CREATE INDEX "credit_requests_of_merchant" ON "credit_requests" USING btree ("merchant_id","sandbox","created_at","id");--> statement-breakpoint
CREATE INDEX "credit_requests_queue" ON "credit_requests" USING btree ("created_at","id") WHERE "credit_requests"."status" = 'requested';--> statement-breakpoint
CREATE INDEX "day_figure_changes_of_merchant" ON "day_figure_changes" USING btree ("merchant_id","sandbox","day");--> statement-breakpoint
CREATE INDEX "operator_notice_deliveries_due" ON "operator_notice_deliveries" USING btree ("due_at") WHERE "operator_notice_deliveries"."status" = 'queued';--> statement-breakpoint
CREATE INDEX "operator_notices_newest" ON "operator_notices" USING btree ("event","subject","first_at","id");--> statement-breakpoint
CREATE INDEX "operator_notices_by_last" ON "operator_notices" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "operator_notices_open" ON "operator_notices" USING btree ("last_at") WHERE "operator_notices"."status" = 'open';--> statement-breakpoint
CREATE INDEX "deposits_waiting_of_merchant" ON "deposits" USING btree ("merchant_id","sandbox","status","first_seen_at","id","stray_reason") WHERE "deposits"."status" in ('held', 'stray');--> statement-breakpoint
CREATE INDEX "deposits_by_amount" ON "deposits" USING btree ("asset","units","merchant_id","sandbox","id");--> statement-breakpoint
CREATE INDEX "deposits_strays_by_amount" ON "deposits" USING btree ("merchant_id","sandbox","asset","units","id") WHERE "deposits"."status" = 'stray';--> statement-breakpoint
CREATE INDEX "invoices_partly_paid" ON "invoices" USING btree ("merchant_id","sandbox",coalesce("updated_at", "processed_at", "created_at"),"id","updated_at","processed_at","created_at") WHERE "invoices"."status" in ('partially_paid', 'cancelled');--> statement-breakpoint
CREATE INDEX "invoices_paid_over" ON "invoices" USING btree ("merchant_id","sandbox",coalesce("updated_at", "processed_at", "created_at"),"id","updated_at","processed_at","created_at") WHERE "invoices"."status" = 'paid_over';--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_forward" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" = 'forward' and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE INDEX "customer_mails_of_invoice" ON "customer_mails" USING btree ("invoice_id","created_at");--> statement-breakpoint
CREATE INDEX "outgoing_transfers_of_payout" ON "outgoing_transfers" USING btree ("reference_id","id") WHERE "outgoing_transfers"."purpose" = 'payout';--> statement-breakpoint
CREATE INDEX "outgoing_transfers_forwards" ON "outgoing_transfers" USING btree ("asset","created_at") WHERE "outgoing_transfers"."purpose" = 'forward';--> statement-breakpoint
CREATE INDEX "payouts_held_of_merchant" ON "payouts" USING btree ("merchant_id","sandbox","created_at","id") WHERE "payouts"."held" is not null and "payouts"."seq" is not null;--> statement-breakpoint
CREATE INDEX "payouts_failed_of_merchant" ON "payouts" USING btree ("merchant_id","sandbox","processed_at","id") WHERE "payouts"."status" = 'failed' and "payouts"."seq" is not null;--> statement-breakpoint
CREATE INDEX "refund_claims_of_merchant" ON "refund_claims" USING btree ("merchant_id","sandbox","status","created_at","id");--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_accepted" CHECK ("invoices"."accepted_units" > 0 and "invoices"."accepted_units" <> 'NaN' and ("invoices"."accepted_units" is null or "invoices"."billing_type" = 'STATIC'));--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_house" CHECK (("ledger_entries"."merchant_id" is not null) = ("ledger_entries"."kind" not in ('network_fee', 'network_fee_reversed', 'capital', 'forward', 'forward_reversed'))
        and ("ledger_entries"."merchant_id" is not null or "ledger_entries"."feed_type" is null));--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind" CHECK ("ledger_entries"."kind" in ('deposit_arrived', 'deposit_departed', 'income', 'income_reversed', 'hold', 'hold_reversed', 'payout_reserved', 'payout_retaken', 'payout_settled', 'payout_unsettled', 'payout_released', 'payout_fee_charged', 'payout_fee_returned', 'refund', 'refund_settled', 'refund_unsettled', 'refund_reversed', 'refund_fee_charged', 'refund_fee_returned', 'network_fee', 'network_fee_reversed', 'capital', 'forward', 'forward_reversed'));--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_approval" CHECK ("merchants"."approval_above_micro_usd" >= 0 and "merchants"."approval_above_micro_usd" <> 'NaN');--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_tolerance" CHECK ("merchants"."default_tolerance_ppm" between 0 and 100000);--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_accepted_coins" CHECK (cardinality("merchants"."accepted_coins") > 0);--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_webhook_format" CHECK ("merchants"."default_webhook_format" in ('native_v2', 'cryptomus', 'heleket', 'nowpayments', 'coinpayments', 'coinpayments_v2'));--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_checkout_language" CHECK ("merchants"."checkout_language" ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$');--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD CONSTRAINT "outgoing_transfers_purpose" CHECK ("outgoing_transfers"."purpose" in ('payout', 'sweep', 'topup', 'gap', 'bump', 'consolidation', 'lend', 'reclaim', 'forward'));--> statement-breakpoint
-- From here on by hand: what the schema language cannot say.

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
--> statement-breakpoint
-- What each entry adds to the sums. OFFSET 0 keeps the order of reading: an entry by its key.
CREATE VIEW entry_figures AS
SELECT p.entry_id, e.merchant_id, e.sandbox, (e.at AT TIME ZONE 'UTC')::date AS day,
  f.figure, f.label, f.count, f.units, f.micro_usd, f.fee_micro_usd
FROM (
  SELECT entry_id,
    coalesce(-sum(amount) FILTER (WHERE account = 'merchant'), 0) AS balance,
    coalesce(-sum(amount) FILTER (WHERE account = 'fees'), 0) AS fees,
    coalesce(-sum(amount) FILTER (WHERE account = 'network_fees'), 0) AS network_fees,
    coalesce(sum(amount) FILTER (WHERE account = 'payouts_in_flight'), 0) AS in_flight,
    coalesce(sum(amount) FILTER (WHERE account = 'suspense'), 0) AS suspense,
    coalesce(-sum(amount) FILTER (WHERE account = 'treasury'), 0) AS treasury,
    max(currency) FILTER (WHERE account IN ('suspense', 'treasury')) AS asset
  FROM ledger_postings GROUP BY entry_id) AS p
CROSS JOIN LATERAL (SELECT * FROM ledger_entries WHERE id = p.entry_id OFFSET 0) AS e
CROSS JOIN LATERAL (
  SELECT 'balance', '', 1, 0, p.balance, 0 WHERE p.balance <> 0
  UNION ALL SELECT 'received', p.asset, CASE e.kind WHEN 'income' THEN 1 ELSE -1 END, p.suspense, p.balance, p.fees
    WHERE e.kind IN ('income', 'income_reversed')
  UNION ALL SELECT 'sent', p.asset, CASE e.kind WHEN 'payout_settled' THEN 1 ELSE -1 END, p.treasury, p.in_flight, p.network_fees
    WHERE e.kind IN ('payout_settled', 'payout_unsettled')
  UNION ALL SELECT 'refunded', '', CASE e.kind WHEN 'refund' THEN 1 ELSE -1 END, 0, -p.balance, 0
    WHERE e.kind IN ('refund', 'refund_reversed')
  UNION ALL SELECT 'refunded', '', 0, 0, 0, p.network_fees WHERE e.kind IN ('refund_settled', 'refund_unsettled') AND p.network_fees <> 0
  UNION ALL SELECT 'network_fee', '', CASE WHEN e.kind IN ('payout_fee_charged', 'refund_fee_charged') THEN 1 ELSE -1 END, 0, 0, -p.balance
    WHERE e.kind IN ('payout_fee_charged', 'payout_fee_returned', 'refund_fee_charged', 'refund_fee_returned')
) AS f (figure, label, count, units, micro_usd, fee_micro_usd)
WHERE e.merchant_id IS NOT NULL;
--> statement-breakpoint
-- A session keeps the plan of its first calls: see ledger_assert_balanced.
CREATE FUNCTION sum_postings() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO day_figure_changes (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
    SELECT merchant_id, sandbox, day, figure, label, sum(count), sum(units), sum(micro_usd), sum(fee_micro_usd)
    FROM entry_figures WHERE entry_id = ANY (ARRAY(SELECT DISTINCT entry_id FROM now_so)) GROUP BY 1, 2, 3, 4, 5;
  ELSE
    DELETE FROM day_figures WHERE figure <> 'invoices';
    DELETE FROM day_figure_changes WHERE figure <> 'invoices';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Invoices that are not open any more, on the day of their creation.
CREATE FUNCTION sum_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO day_figure_changes (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
    SELECT merchant_id, sandbox, (created_at AT TIME ZONE 'UTC')::date, 'invoices', status, count(*), 0, 0, 0
    FROM now_so WHERE status <> 'created' GROUP BY 1, 2, 3, 5;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO day_figure_changes (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
    SELECT merchant_id, sandbox, (created_at AT TIME ZONE 'UTC')::date, 'invoices', status, sum(change), 0, 0, 0 FROM (
      SELECT merchant_id, sandbox, created_at, status, 1 AS change FROM now_so
      UNION ALL SELECT merchant_id, sandbox, created_at, status, -1 FROM was_so) AS c
    WHERE status <> 'created' GROUP BY 1, 2, 3, 5 HAVING sum(change) <> 0;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO day_figure_changes (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
    SELECT merchant_id, sandbox, (created_at AT TIME ZONE 'UTC')::date, 'invoices', status, -count(*), 0, 0, 0
    FROM was_so WHERE status <> 'created' GROUP BY 1, 2, 3, 5;
  ELSE
    DELETE FROM day_figures WHERE figure = 'invoices';
    DELETE FROM day_figure_changes WHERE figure = 'invoices';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER sum_added AFTER INSERT ON ledger_postings REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION sum_postings();
--> statement-breakpoint
CREATE TRIGGER sum_emptied AFTER TRUNCATE ON ledger_postings FOR EACH STATEMENT EXECUTE FUNCTION sum_postings();
--> statement-breakpoint
CREATE TRIGGER sum_added AFTER INSERT ON invoices REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION sum_invoices();
--> statement-breakpoint
CREATE TRIGGER sum_changed AFTER UPDATE ON invoices REFERENCING OLD TABLE AS was_so NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION sum_invoices();
--> statement-breakpoint
CREATE TRIGGER sum_removed AFTER DELETE ON invoices REFERENCING OLD TABLE AS was_so
  FOR EACH STATEMENT EXECUTE FUNCTION sum_invoices();
--> statement-breakpoint
CREATE TRIGGER sum_emptied AFTER TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION sum_invoices();
--> statement-breakpoint
-- Also where a load of rows turns triggers off.
ALTER TABLE ledger_postings ENABLE ALWAYS TRIGGER sum_added, ENABLE ALWAYS TRIGGER sum_emptied;
--> statement-breakpoint
ALTER TABLE invoices ENABLE ALWAYS TRIGGER sum_added, ENABLE ALWAYS TRIGGER sum_changed,
  ENABLE ALWAYS TRIGGER sum_removed, ENABLE ALWAYS TRIGGER sum_emptied;
--> statement-breakpoint
-- What is there already. The triggers hold the tables until the end.
INSERT INTO day_figures (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
SELECT merchant_id, sandbox, day, figure, label, sum(count), sum(units), sum(micro_usd), sum(fee_micro_usd)
FROM entry_figures GROUP BY 1, 2, 3, 4, 5;
--> statement-breakpoint
INSERT INTO day_figures (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
SELECT merchant_id, sandbox, (created_at AT TIME ZONE 'UTC')::date, 'invoices', status, count(*), 0, 0, 0
FROM invoices WHERE status <> 'created' GROUP BY 1, 2, 3, 5;
--> statement-breakpoint
-- Rows come and go all the time.
ALTER TABLE day_figure_changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
--> statement-breakpoint
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
