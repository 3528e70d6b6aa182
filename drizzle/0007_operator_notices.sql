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
ALTER TABLE "operator_notice_deliveries" ADD CONSTRAINT "operator_notice_deliveries_notice_id_operator_notices_id_fk" FOREIGN KEY ("notice_id") REFERENCES "public"."operator_notices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "operator_notice_deliveries_due" ON "operator_notice_deliveries" USING btree ("due_at") WHERE "operator_notice_deliveries"."status" = 'queued';--> statement-breakpoint
CREATE INDEX "operator_notices_newest" ON "operator_notices" USING btree ("event","subject","first_at","id");--> statement-breakpoint
CREATE INDEX "operator_notices_by_last" ON "operator_notices" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "operator_notices_open" ON "operator_notices" USING btree ("last_at") WHERE "operator_notices"."status" = 'open';