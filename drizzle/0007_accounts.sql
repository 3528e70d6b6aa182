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
ALTER TABLE "ceremonies" ADD CONSTRAINT "ceremonies_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "known_networks" ADD CONSTRAINT "known_networks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_no_operator" FOREIGN KEY ("user_id","is_operator") REFERENCES "public"."users"("id","is_operator") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
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
CREATE INDEX "sessions_by_age" ON "sessions" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_by_age" ON "sign_in_attempts" USING btree ("last_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree ("email");