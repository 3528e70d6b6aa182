ALTER TABLE "memberships" ADD COLUMN "sponsors" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "sponsors" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "needs_independent" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "approvals_by_decider" ON "approvals" USING btree ("decided_by","decided_at") WHERE "approvals"."decided_by" is not null;