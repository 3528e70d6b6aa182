ALTER TABLE "audit_log" DROP CONSTRAINT "audit_log_subject";--> statement-breakpoint
ALTER TABLE "credit_requests" DROP CONSTRAINT "credit_requests_texts";--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "sponsors" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "sponsors" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "needs_independent" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "approvals_by_decider" ON "approvals" USING btree ("decided_by","decided_at") WHERE "approvals"."decided_by" is not null;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_subject" CHECK ("audit_log"."subject" in ('user', 'session', 'invitation', 'approval', 'merchant', 'api_key', 'webhook_secret', 'brand', 'link', 'invoice', 'deposit', 'payout', 'refund', 'permanent_address', 'delivery', 'sweep', 'forward', 'address', 'capital', 'signing', 'wallet', 'chain', 'list', 'database', 'audit_log'));--> statement-breakpoint
ALTER TABLE "credit_requests" ADD CONSTRAINT "credit_requests_texts" CHECK (char_length("credit_requests"."reason") <= 1000 and char_length("credit_requests"."answer") <= 1000);