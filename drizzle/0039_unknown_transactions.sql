CREATE TABLE "found_paid" (
	"payout_id" text PRIMARY KEY NOT NULL,
	"chain" text NOT NULL,
	"txid" text NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unknown_transactions" (
	"chain" text NOT NULL,
	"txid" text NOT NULL,
	"wallet" text NOT NULL,
	"sequence" bigint,
	"fee_units" numeric(78, 0),
	"payments" text NOT NULL,
	"harmless" boolean NOT NULL,
	"block_height" bigint NOT NULL,
	"block_hash" text NOT NULL,
	"mined_at" timestamp with time zone NOT NULL,
	"noted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "unknown_transactions_chain_txid_pk" PRIMARY KEY("chain","txid"),
	CONSTRAINT "unknown_transactions_sequence" CHECK ("unknown_transactions"."sequence" >= 0),
	CONSTRAINT "unknown_transactions_block" CHECK ("unknown_transactions"."block_height" >= 0)
);
--> statement-breakpoint
ALTER TABLE "outgoing_transfers" DROP CONSTRAINT "outgoing_transfers_failure";--> statement-breakpoint
ALTER TABLE "payouts" DROP CONSTRAINT "payouts_held";--> statement-breakpoint
ALTER TABLE "chain_cursors" ADD COLUMN "reads" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "found_paid" ADD CONSTRAINT "found_paid_payout_id_payouts_id_fk" FOREIGN KEY ("payout_id") REFERENCES "public"."payouts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "found_paid" ADD CONSTRAINT "found_paid_chain_txid_unknown_transactions_chain_txid_fk" FOREIGN KEY ("chain","txid") REFERENCES "public"."unknown_transactions"("chain","txid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "found_paid_by_transaction" ON "found_paid" USING btree ("chain","txid");--> statement-breakpoint
CREATE INDEX "unknown_transactions_by_time" ON "unknown_transactions" USING btree ("noted_at");--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD CONSTRAINT "outgoing_transfers_failure" CHECK (("outgoing_transfers"."failure" is not null) = ("outgoing_transfers"."status" = 'failed' or ("outgoing_transfers"."voided" and "outgoing_transfers"."status" <> 'confirmed'))
        and num_nulls("outgoing_transfers"."failure", "outgoing_transfers"."failure_code") in (0, 2) and "outgoing_transfers"."failure_code" in ('operator', 'signer_refused', 'chain_refused', 'unmineable', 'overdue', 'reverted', 'superseded', 'expired', 'coin_lost', 'payout_ended', 'wallet_replaced', 'restored', 'merchant_barred', 'loan_late', 'loan_gone', 'unused_sequence', 'account_settings', 'given_up'));--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_held" CHECK (num_nulls("payouts"."held", "payouts"."held_code") in (0, 2) and "payouts"."held_code" in ('operator', 'limit', 'signer', 'liquidity', 'unclear', 'fee', 'restored', 'restored_held'));