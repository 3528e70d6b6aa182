CREATE TABLE "forward_requests" (
	"asset" text PRIMARY KEY NOT NULL,
	"chain" text NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit_log" DROP CONSTRAINT "audit_log_subject";--> statement-breakpoint
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_house";--> statement-breakpoint
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_kind";--> statement-breakpoint
ALTER TABLE "outgoing_transfers" DROP CONSTRAINT "outgoing_transfers_purpose";--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_forward" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" = 'forward' and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE INDEX "outgoing_transfers_forwards" ON "outgoing_transfers" USING btree ("asset","created_at") WHERE "outgoing_transfers"."purpose" = 'forward';--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_subject" CHECK ("audit_log"."subject" in ('user', 'session', 'invitation', 'approval', 'merchant', 'api_key', 'webhook_secret', 'brand', 'link', 'invoice', 'deposit', 'payout', 'refund', 'permanent_address', 'delivery', 'sweep', 'forward', 'address', 'capital', 'signing', 'wallet', 'chain', 'list', 'database'));--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_house" CHECK (("ledger_entries"."merchant_id" is not null) = ("ledger_entries"."kind" not in ('network_fee', 'network_fee_reversed', 'capital', 'forward', 'forward_reversed'))
        and ("ledger_entries"."merchant_id" is not null or "ledger_entries"."feed_type" is null));--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind" CHECK ("ledger_entries"."kind" in ('deposit_arrived', 'deposit_departed', 'income', 'income_reversed', 'hold', 'hold_reversed', 'payout_reserved', 'payout_retaken', 'payout_settled', 'payout_unsettled', 'payout_released', 'payout_fee_charged', 'payout_fee_returned', 'refund', 'refund_settled', 'refund_unsettled', 'refund_reversed', 'refund_fee_charged', 'refund_fee_returned', 'network_fee', 'network_fee_reversed', 'capital', 'forward', 'forward_reversed'));--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD CONSTRAINT "outgoing_transfers_purpose" CHECK ("outgoing_transfers"."purpose" in ('payout', 'sweep', 'topup', 'gap', 'bump', 'consolidation', 'lend', 'reclaim', 'forward'));