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
ALTER TABLE "merchants" ADD COLUMN "approval_above_micro_usd" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_once_a_form" ON "approvals" USING btree ("requested_by","form_id");--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_uniq_id" ON "approvals" USING btree ("uniq_id");--> statement-breakpoint
CREATE INDEX "approvals_of_merchant" ON "approvals" USING btree ("merchant_id","id");--> statement-breakpoint
CREATE INDEX "approvals_waiting" ON "approvals" USING btree ("expires_at") WHERE "approvals"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "approvals_approved" ON "approvals" USING btree ("created_at") WHERE "approvals"."status" = 'approved';--> statement-breakpoint
CREATE INDEX "approvals_alone" ON "approvals" USING btree ("requested_by","created_at") WHERE "approvals"."decided_by" is null and "approvals"."status" in ('approved', 'done');--> statement-breakpoint
CREATE INDEX "reconciliations_at" ON "reconciliations" USING btree ("at");--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_approval" CHECK ("merchants"."approval_above_micro_usd" >= 0 and "merchants"."approval_above_micro_usd" <> 'NaN');