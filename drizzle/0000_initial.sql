CREATE TABLE "invoice_extras" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"extra" text NOT NULL,
	"seq" bigint NOT NULL,
	CONSTRAINT "invoice_extras_merchant_id_sandbox_extra_seq_pk" PRIMARY KEY("merchant_id","sandbox","extra","seq")
);
--> statement-breakpoint
CREATE TABLE "list_count_changes" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"list" text NOT NULL,
	"label" text NOT NULL,
	"asset" text NOT NULL,
	"block" bigint NOT NULL,
	"change" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "list_counts" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"list" text NOT NULL,
	"label" text NOT NULL,
	"asset" text NOT NULL,
	"block" bigint NOT NULL,
	"value" bigint NOT NULL,
	CONSTRAINT "list_counts_merchant_id_sandbox_list_label_asset_block_pk" PRIMARY KEY("merchant_id","sandbox","list","label","asset","block")
);
--> statement-breakpoint
CREATE TABLE "chain_health" (
	"chain" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"lag_blocks" bigint NOT NULL,
	"lag_seconds" bigint NOT NULL,
	"tip_height" bigint,
	"tip_time" timestamp with time zone,
	"answered_at" timestamp with time zone,
	"fault" text,
	"told_at" timestamp with time zone,
	"told_times" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "chain_health_state" CHECK ("chain_health"."state" in ('ok', 'catching_up', 'behind', 'away', 'never_reached')),
	CONSTRAINT "chain_health_fault" CHECK ("chain_health"."fault" in ('unreachable', 'limited', 'wrong_chain')),
	CONSTRAINT "chain_health_lag" CHECK ("chain_health"."lag_blocks" >= 0 and "chain_health"."lag_seconds" >= 0),
	CONSTRAINT "chain_health_tip" CHECK (num_nulls("chain_health"."tip_height", "chain_health"."tip_time") in (0, 2)),
	CONSTRAINT "chain_health_told" CHECK (("chain_health"."told_at" is null) = ("chain_health"."told_times" = 0) and "chain_health"."told_times" >= 0)
);
--> statement-breakpoint
CREATE TABLE "node_usage" (
	"chain" text NOT NULL,
	"node" text NOT NULL,
	"day" date NOT NULL,
	"calls" bigint NOT NULL,
	"refusals" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"state" text NOT NULL,
	"stream" boolean,
	"counted_from" timestamp with time zone NOT NULL,
	"counted_until" timestamp with time zone NOT NULL,
	CONSTRAINT "node_usage_chain_node_day_pk" PRIMARY KEY("chain","node","day"),
	CONSTRAINT "node_usage_state" CHECK ("node_usage"."state" in ('able', 'limited', 'resting', 'wrong_chain')),
	CONSTRAINT "node_usage_counts" CHECK ("node_usage"."calls" >= 0 and "node_usage"."refusals" >= 0 and "node_usage"."bytes" >= 0)
);
--> statement-breakpoint
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
	"block_hash" text,
	"mined_at" timestamp with time zone NOT NULL,
	"noted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "unknown_transactions_chain_txid_pk" PRIMARY KEY("chain","txid"),
	CONSTRAINT "unknown_transactions_sequence" CHECK ("unknown_transactions"."sequence" >= 0),
	CONSTRAINT "unknown_transactions_block" CHECK ("unknown_transactions"."block_height" >= 0)
);
--> statement-breakpoint
CREATE TABLE "chain_blocks" (
	"chain" text NOT NULL,
	"height" bigint NOT NULL,
	"hash" text NOT NULL,
	"parent_hash" text NOT NULL,
	"time" bigint NOT NULL,
	CONSTRAINT "chain_blocks_chain_height_pk" PRIMARY KEY("chain","height"),
	CONSTRAINT "chain_blocks_height" CHECK ("chain_blocks"."height" >= 0)
);
--> statement-breakpoint
CREATE TABLE "chain_cursors" (
	"chain" text PRIMARY KEY NOT NULL,
	"height" bigint NOT NULL,
	"hash" text NOT NULL,
	"covered_until" timestamp with time zone NOT NULL,
	"read_at" timestamp with time zone,
	"reads" bigint DEFAULT 0 NOT NULL,
	"resumed_at" timestamp with time zone,
	"finalized_height" bigint NOT NULL,
	CONSTRAINT "chain_cursors_heights" CHECK ("chain_cursors"."height" >= -1 and "chain_cursors"."finalized_height" >= -1)
);
--> statement-breakpoint
CREATE TABLE "chain_identities" (
	"chain" text PRIMARY KEY NOT NULL,
	"network" text NOT NULL,
	"genesis" text,
	"noted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "chain_identities_network" CHECK ("chain_identities"."network" ~ '^(fake|main|test|stage|regtest|eip155:[1-9][0-9]*)$'),
	CONSTRAINT "chain_identities_genesis" CHECK ("chain_identities"."network" <> 'fake' or "chain_identities"."genesis" is null)
);
--> statement-breakpoint
CREATE TABLE "stored_answers" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"status" smallint NOT NULL,
	"body" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "stored_answers_merchant_id_sandbox_key_pk" PRIMARY KEY("merchant_id","sandbox","key"),
	CONSTRAINT "stored_answers_key" CHECK (length("stored_answers"."key") between 1 and 255),
	CONSTRAINT "stored_answers_fingerprint" CHECK (length("stored_answers"."fingerprint") = 64),
	CONSTRAINT "stored_answers_success" CHECK ("stored_answers"."status" between 200 and 299)
);
--> statement-breakpoint
CREATE TABLE "coins" (
	"chain" text NOT NULL,
	"txid" text NOT NULL,
	"vout" bigint NOT NULL,
	"address" text NOT NULL,
	"key_role" text NOT NULL,
	"key_index" bigint,
	"units" numeric(78, 0) NOT NULL,
	"block_height" bigint,
	"block_hash" text,
	"claimed_by" text,
	"doubted" boolean DEFAULT false NOT NULL,
	"booked" boolean,
	CONSTRAINT "coins_chain_txid_vout_pk" PRIMARY KEY("chain","txid","vout"),
	CONSTRAINT "coins_vout" CHECK ("coins"."vout" >= 0),
	CONSTRAINT "coins_units" CHECK ("coins"."units" > 0 and "coins"."units" <> 'NaN'),
	CONSTRAINT "coins_key" CHECK ("coins"."key_role" in ('hot', 'deposit', 'change') and ("coins"."key_index" is null) = ("coins"."key_role" = 'hot')),
	CONSTRAINT "coins_booked" CHECK (("coins"."booked" is not null) = ("coins"."key_role" = 'hot'))
);
--> statement-breakpoint
CREATE TABLE "outgoing_transfers" (
	"id" text PRIMARY KEY NOT NULL,
	"chain" text NOT NULL,
	"wallet" text NOT NULL,
	"sequence" bigint NOT NULL,
	"bundle_id" text NOT NULL,
	"position" integer NOT NULL,
	"purpose" text NOT NULL,
	"reference_id" text NOT NULL,
	"asset" text NOT NULL,
	"to_address" text NOT NULL,
	"units" numeric(78, 0) NOT NULL,
	"status" text NOT NULL,
	"txid" text,
	"block_height" integer,
	"block_hash" text,
	"fee_units" numeric(78, 0),
	"hot_fee_units" numeric(78, 0) DEFAULT 0 NOT NULL,
	"failure" text,
	"failure_code" text,
	"voided" boolean NOT NULL,
	"taken_out" boolean DEFAULT false NOT NULL,
	"hurried" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "outgoing_transfers_bundle_led" CHECK (("outgoing_transfers"."position" = 0) = ("outgoing_transfers"."bundle_id" = "outgoing_transfers"."id") and "outgoing_transfers"."position" >= 0),
	CONSTRAINT "outgoing_transfers_id" CHECK ("outgoing_transfers"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "outgoing_transfers_sequence" CHECK ("outgoing_transfers"."sequence" >= 0),
	CONSTRAINT "outgoing_transfers_purpose" CHECK ("outgoing_transfers"."purpose" in ('payout', 'sweep', 'topup', 'gap', 'bump', 'consolidation', 'lend', 'reclaim')),
	CONSTRAINT "outgoing_transfers_status" CHECK ("outgoing_transfers"."status" in ('allocated', 'signed', 'confirmed', 'failed')),
	CONSTRAINT "outgoing_transfers_units" CHECK ("outgoing_transfers"."units" > 0 and "outgoing_transfers"."units" <> 'NaN'),
	CONSTRAINT "outgoing_transfers_fee" CHECK ("outgoing_transfers"."fee_units" <> 'NaN' and "outgoing_transfers"."hot_fee_units" <> 'NaN'),
	CONSTRAINT "outgoing_transfers_settled_whole" CHECK (num_nulls("outgoing_transfers"."txid", "outgoing_transfers"."block_height", "outgoing_transfers"."block_hash", "outgoing_transfers"."fee_units") in (0, 4)
        and ("outgoing_transfers"."status" <> 'confirmed' or "outgoing_transfers"."txid" is not null)
        and ("outgoing_transfers"."status" in ('confirmed', 'failed') or "outgoing_transfers"."txid" is null)),
	CONSTRAINT "outgoing_transfers_taken_out" CHECK (not "outgoing_transfers"."taken_out" or ("outgoing_transfers"."status" = 'failed' and "outgoing_transfers"."txid" is null)),
	CONSTRAINT "outgoing_transfers_failure" CHECK (("outgoing_transfers"."failure" is not null) = ("outgoing_transfers"."status" = 'failed' or ("outgoing_transfers"."voided" and "outgoing_transfers"."status" <> 'confirmed'))
        and num_nulls("outgoing_transfers"."failure", "outgoing_transfers"."failure_code") in (0, 2) and "outgoing_transfers"."failure_code" in ('operator', 'signer_refused', 'chain_refused', 'unmineable', 'overdue', 'reverted', 'unfunded', 'superseded', 'expired', 'coin_lost', 'payout_ended', 'wallet_replaced', 'restored', 'merchant_barred', 'loan_late', 'loan_gone', 'unused_sequence', 'account_settings', 'given_up'))
);
--> statement-breakpoint
CREATE TABLE "signed_transactions" (
	"bundle_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"txid" text NOT NULL,
	"raw" text NOT NULL,
	"voids" boolean NOT NULL,
	"max_fee_units" numeric(78, 0) NOT NULL,
	"valid_until" bigint,
	"signed_at" timestamp with time zone NOT NULL,
	"broadcast_at" timestamp with time zone,
	CONSTRAINT "signed_transactions_bundle_id_ordinal_pk" PRIMARY KEY("bundle_id","ordinal"),
	CONSTRAINT "signed_transactions_ordinal" CHECK ("signed_transactions"."ordinal" >= 1),
	CONSTRAINT "signed_transactions_fee" CHECK ("signed_transactions"."max_fee_units" >= 0 and "signed_transactions"."max_fee_units" <> 'NaN')
);
--> statement-breakpoint
CREATE TABLE "signing_switch" (
	"singleton" boolean PRIMARY KEY NOT NULL,
	"stopped_at" timestamp with time zone,
	"note" text NOT NULL,
	CONSTRAINT "signing_switch_singleton" CHECK ("signing_switch"."singleton")
);
--> statement-breakpoint
CREATE TABLE "wallets" (
	"chain" text NOT NULL,
	"address" text NOT NULL,
	"next_sequence" bigint NOT NULL,
	CONSTRAINT "wallets_chain_address_pk" PRIMARY KEY("chain","address"),
	CONSTRAINT "wallets_next_sequence" CHECK ("wallets"."next_sequence" >= 0)
);
--> statement-breakpoint
CREATE TABLE "capital_bookings" (
	"id" text PRIMARY KEY NOT NULL,
	"chain" text NOT NULL,
	"asset" text NOT NULL,
	"units" numeric(78, 0) NOT NULL,
	"block_height" bigint NOT NULL,
	"block_hash" text NOT NULL,
	"note" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"coin" text,
	CONSTRAINT "capital_bookings_id" CHECK ("capital_bookings"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "capital_bookings_units" CHECK ("capital_bookings"."units" <> 0 and "capital_bookings"."units" <> 'NaN'),
	CONSTRAINT "capital_bookings_block" CHECK ("capital_bookings"."block_height" >= 0)
);
--> statement-breakpoint
CREATE TABLE "frozen_addresses" (
	"chain" text NOT NULL,
	"address" text NOT NULL,
	"reason" text NOT NULL,
	"frozen_at" timestamp with time zone NOT NULL,
	"former_wallet" boolean DEFAULT false NOT NULL,
	CONSTRAINT "frozen_addresses_chain_address_pk" PRIMARY KEY("chain","address")
);
--> statement-breakpoint
CREATE TABLE "sweeps" (
	"id" text PRIMARY KEY NOT NULL,
	"chain" text NOT NULL,
	"address" text NOT NULL,
	"asset" text NOT NULL,
	"status" text NOT NULL,
	"forced" boolean NOT NULL,
	"units" numeric(78, 0),
	"topup_id" text,
	"lend_id" text,
	"transfer_id" text,
	"reclaim_id" text,
	"reason" text,
	"reason_code" text,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "sweeps_id" CHECK ("sweeps"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "sweeps_status" CHECK ("sweeps"."status" in ('planned', 'topping_up', 'lending', 'sweeping', 'reclaiming', 'done', 'failed')),
	CONSTRAINT "sweeps_units" CHECK ("sweeps"."units" > 0 and "sweeps"."units" <> 'NaN'),
	CONSTRAINT "sweeps_transfers" CHECK (("sweeps"."status" <> 'topping_up' or "sweeps"."topup_id" is not null)
        and ("sweeps"."status" not in ('lending', 'reclaiming') or "sweeps"."lend_id" is not null)
        and ("sweeps"."reclaim_id" is null or "sweeps"."lend_id" is not null)
        and ("sweeps"."status" not in ('sweeping', 'done') or ("sweeps"."transfer_id" is not null and "sweeps"."units" is not null))
        and ("sweeps"."status" <> 'planned' or num_nonnulls("sweeps"."topup_id", "sweeps"."lend_id", "sweeps"."transfer_id") = 0)),
	CONSTRAINT "sweeps_ended" CHECK (("sweeps"."ended_at" is not null) = ("sweeps"."status" in ('done', 'failed'))
        and ("sweeps"."status" <> 'failed' or "sweeps"."reason" is not null)),
	CONSTRAINT "sweeps_reason" CHECK (num_nulls("sweeps"."reason", "sweeps"."reason_code") in (0, 2) and "sweeps"."reason_code" in ('withheld', 'not_worth_it', 'too_dear', 'no_place', 'gas_unknown', 'liquidity', 'empty', 'fees_rose', 'loan_gone', 'loan_refused', 'loan_late', 'unsigned', 'transfer_failed', 'operator', 'earlier_reopened', 'reorganised'))
);
--> statement-breakpoint
CREATE TABLE "payouts" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"kind" text DEFAULT 'payout' NOT NULL,
	"invoice_id" text,
	"ordered_by" text,
	"seq" bigint,
	"batch_id" text,
	"status" text NOT NULL,
	"txid" text,
	"tx_hashes" text[] NOT NULL,
	"failure" text,
	"processed_at" timestamp with time zone,
	"asset" text NOT NULL,
	"address" text NOT NULL,
	"amount_units" numeric(78, 0) NOT NULL,
	"sent_units" numeric(78, 0) NOT NULL,
	"fee_units" numeric(78, 0) NOT NULL,
	"fee_micro_usd" numeric(78, 0) NOT NULL,
	"energy_fee_micro_usd" numeric(78, 0),
	"extra_gas" numeric(78, 0) DEFAULT '0',
	"wasted_fee_units" numeric(78, 0) DEFAULT '0' NOT NULL,
	"wasted_fee_micro_usd" numeric(78, 0) DEFAULT '0' NOT NULL,
	"fee_bearer" text NOT NULL,
	"amount_micro_usd" numeric(78, 0) NOT NULL,
	"reserved_micro_usd" numeric(78, 0) NOT NULL,
	"ref" text,
	"held" text,
	"held_code" text,
	"released" boolean DEFAULT false NOT NULL,
	"merchant_waived" boolean DEFAULT false NOT NULL,
	"waiting" text,
	"waiting_code" text,
	"tried_at" timestamp with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"let_go_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone,
	CONSTRAINT "payouts_id" CHECK ("payouts"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "payouts_seq" CHECK ("payouts"."seq" >= 1 and ("payouts"."seq" is not null) = ("payouts"."kind" = 'payout')),
	CONSTRAINT "payouts_kind" CHECK ("payouts"."kind" in ('payout', 'refund') and ("payouts"."kind" = 'refund') = ("payouts"."invoice_id" is not null)),
	CONSTRAINT "payouts_ordered_by" CHECK ("payouts"."ordered_by" is null or "payouts"."kind" = 'refund'),
	CONSTRAINT "payouts_waiting" CHECK (num_nulls("payouts"."waiting", "payouts"."waiting_code", "payouts"."tried_at") in (0, 3) and "payouts"."waiting_code" in ('liquidity', 'negative_balance', 'payment_gone', 'merchant', 'asset', 'dust', 'signing', 'trial', 'fee')),
	CONSTRAINT "payouts_held" CHECK (num_nulls("payouts"."held", "payouts"."held_code") in (0, 2) and "payouts"."held_code" in ('operator', 'limit', 'signer', 'liquidity', 'unclear', 'fee', 'restored', 'restored_held')),
	CONSTRAINT "payouts_held_while_pending" CHECK ("payouts"."held" is null or "payouts"."status" = 'pending'),
	CONSTRAINT "payouts_status" CHECK ("payouts"."status" in ('pending', 'processing', 'success', 'failed', 'cancelled')),
	CONSTRAINT "payouts_fee_bearer" CHECK ("payouts"."fee_bearer" in ('merchant', 'client')),
	CONSTRAINT "payouts_amounts" CHECK ("payouts"."amount_units" > 0 and "payouts"."amount_units" <> 'NaN' and "payouts"."sent_units" > 0 and "payouts"."sent_units" <> 'NaN' and "payouts"."sent_units" <= "payouts"."amount_units"
        and "payouts"."fee_units" >= 0 and "payouts"."fee_units" <> 'NaN' and "payouts"."fee_micro_usd" >= 0 and "payouts"."fee_micro_usd" <> 'NaN' and "payouts"."energy_fee_micro_usd" >= 0 and "payouts"."energy_fee_micro_usd" <> 'NaN' and "payouts"."amount_micro_usd" >= 0 and "payouts"."amount_micro_usd" <> 'NaN' and "payouts"."reserved_micro_usd" >= 0 and "payouts"."reserved_micro_usd" <> 'NaN'
        and "payouts"."extra_gas" >= 0 and "payouts"."extra_gas" <> 'NaN' and "payouts"."wasted_fee_units" >= 0 and "payouts"."wasted_fee_units" <> 'NaN' and "payouts"."wasted_fee_micro_usd" >= 0 and "payouts"."wasted_fee_micro_usd" <> 'NaN'),
	CONSTRAINT "payouts_processed_when_final" CHECK (("payouts"."processed_at" is null) = ("payouts"."status" in ('pending', 'processing'))),
	CONSTRAINT "payouts_failure" CHECK (("payouts"."failure" is not null) = ("payouts"."status" = 'failed')),
	CONSTRAINT "payouts_txid" CHECK (("payouts"."status" not in ('processing', 'success') or "payouts"."txid" is not null)
        and ("payouts"."txid" is null or "payouts"."txid" = any ("payouts"."tx_hashes")))
);
--> statement-breakpoint
CREATE TABLE "uniq_ids" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"uniq_id" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"order_id" text,
	"batch_id" text,
	CONSTRAINT "uniq_ids_merchant_id_sandbox_uniq_id_pk" PRIMARY KEY("merchant_id","sandbox","uniq_id"),
	CONSTRAINT "uniq_ids_result" CHECK (num_nonnulls("uniq_ids"."order_id", "uniq_ids"."batch_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"lookup_hash" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"sealed" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	"lives_until" timestamp with time zone,
	"first_used_at" timestamp with time zone,
	CONSTRAINT "api_keys_older_is_revoked" CHECK ("api_keys"."lives_until" is null or "api_keys"."revoked_at" is not null)
);
--> statement-breakpoint
CREATE TABLE "balances" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"income_micro_usd" numeric(78, 0) NOT NULL,
	"payouts_micro_usd" numeric(78, 0) NOT NULL,
	"refunds_micro_usd" numeric(78, 0) NOT NULL,
	CONSTRAINT "balances_merchant_id_sandbox_pk" PRIMARY KEY("merchant_id","sandbox"),
	CONSTRAINT "balances_sums" CHECK ("balances"."income_micro_usd" >= 0 and "balances"."income_micro_usd" <> 'NaN' and "balances"."payouts_micro_usd" >= 0 and "balances"."payouts_micro_usd" <> 'NaN' and "balances"."refunds_micro_usd" >= 0 and "balances"."refunds_micro_usd" <> 'NaN')
);
--> statement-breakpoint
CREATE TABLE "counters" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"stream" text NOT NULL,
	"value" bigint NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "counters_merchant_id_sandbox_stream_pk" PRIMARY KEY("merchant_id","sandbox","stream"),
	CONSTRAINT "counters_stream" CHECK ("counters"."stream" in ('invoices', 'payouts', 'ledger', 'notifications', 'events')),
	CONSTRAINT "counters_value" CHECK ("counters"."value" >= 0)
);
--> statement-breakpoint
CREATE TABLE "merchant_brands" (
	"merchant_id" text PRIMARY KEY NOT NULL,
	"name" text,
	"accent" text,
	"logo_type" text,
	"logo" "bytea",
	"logo_digest" text GENERATED ALWAYS AS (encode(sha256(logo), 'hex')) STORED,
	CONSTRAINT "merchant_brands_name" CHECK (char_length("merchant_brands"."name") between 1 and 80),
	CONSTRAINT "merchant_brands_accent" CHECK ("merchant_brands"."accent" ~ '^#[0-9a-f]{6}$'),
	CONSTRAINT "merchant_brands_logo_complete" CHECK (num_nulls("merchant_brands"."logo_type", "merchant_brands"."logo") in (0, 2)),
	CONSTRAINT "merchant_brands_logo_type" CHECK ("merchant_brands"."logo_type" in ('image/png', 'image/jpeg', 'image/webp')),
	CONSTRAINT "merchant_brands_logo_size" CHECK (octet_length("merchant_brands"."logo") between 1 and 131072)
);
--> statement-breakpoint
CREATE TABLE "merchants" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"kyc" text NOT NULL,
	"callback_url" text,
	"payout_webhooks" boolean DEFAULT false NOT NULL,
	"default_fee_bearer" text NOT NULL,
	"commission_ppm" integer NOT NULL,
	"allowed_subnets" text[] NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "merchants_id" CHECK ("merchants"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "merchants_status" CHECK ("merchants"."status" in ('active', 'paused', 'pending_verification', 'rejected')),
	CONSTRAINT "merchants_kyc" CHECK ("merchants"."kyc" in ('approved', 'pending', 'rejected')),
	CONSTRAINT "merchants_fee_bearer" CHECK ("merchants"."default_fee_bearer" in ('merchant', 'client')),
	CONSTRAINT "merchants_commission" CHECK ("merchants"."commission_ppm" between 0 and 1000000)
);
--> statement-breakpoint
CREATE TABLE "webhook_secrets" (
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"sealed" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"older_sealed" text,
	"older_until" timestamp with time zone,
	CONSTRAINT "webhook_secrets_merchant_id_sandbox_pk" PRIMARY KEY("merchant_id","sandbox"),
	CONSTRAINT "webhook_secrets_older_complete" CHECK (num_nulls("webhook_secrets"."older_sealed", "webhook_secrets"."older_until") in (0, 2))
);
--> statement-breakpoint
CREATE TABLE "ledger_entries" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text,
	"sandbox" boolean NOT NULL,
	"kind" text NOT NULL,
	"reference_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"deposit_id" text,
	"at" timestamp with time zone NOT NULL,
	"reversed_by" text,
	"feed_type" text,
	"feed_seq" bigint,
	"feed_asset" text,
	"feed_amount_units" numeric(78, 0),
	"feed_fee_units" numeric(78, 0),
	"feed_currency" text,
	"feed_micro_usd" numeric(78, 0),
	"feed_reference_id" text,
	CONSTRAINT "ledger_entries_house" CHECK (("ledger_entries"."merchant_id" is not null) = ("ledger_entries"."kind" not in ('network_fee', 'network_fee_reversed', 'capital'))
        and ("ledger_entries"."merchant_id" is not null or "ledger_entries"."feed_type" is null)),
	CONSTRAINT "ledger_entries_id" CHECK ("ledger_entries"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "ledger_entries_kind" CHECK ("ledger_entries"."kind" in ('deposit_arrived', 'deposit_departed', 'income', 'income_reversed', 'hold', 'hold_reversed', 'payout_reserved', 'payout_retaken', 'payout_settled', 'payout_unsettled', 'payout_released', 'payout_fee_charged', 'payout_fee_returned', 'refund', 'refund_settled', 'refund_unsettled', 'refund_reversed', 'refund_fee_charged', 'refund_fee_returned', 'network_fee', 'network_fee_reversed', 'capital')),
	CONSTRAINT "ledger_entries_feed" CHECK (num_nulls("ledger_entries"."feed_type", "ledger_entries"."feed_seq", "ledger_entries"."feed_asset", "ledger_entries"."feed_amount_units", "ledger_entries"."feed_micro_usd", "ledger_entries"."feed_reference_id") in (0, 6)
        and ("ledger_entries"."feed_type" is not distinct from 'income') = ("ledger_entries"."feed_fee_units" is not null)
        and ("ledger_entries"."feed_type" in ('income', 'refund') or "ledger_entries"."feed_currency" is null)
        and "ledger_entries"."feed_type" in ('income', 'payout', 'refund') and "ledger_entries"."feed_seq" >= 1),
	CONSTRAINT "ledger_entries_amounts" CHECK ("ledger_entries"."feed_amount_units" <> 'NaN' and "ledger_entries"."feed_fee_units" <> 'NaN' and "ledger_entries"."feed_micro_usd" <> 'NaN')
);
--> statement-breakpoint
CREATE TABLE "ledger_postings" (
	"entry_id" text NOT NULL,
	"ordinal" smallint NOT NULL,
	"account" text NOT NULL,
	"currency" text NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	CONSTRAINT "ledger_postings_entry_id_ordinal_pk" PRIMARY KEY("entry_id","ordinal"),
	CONSTRAINT "ledger_postings_account" CHECK ("ledger_postings"."account" in ('merchant', 'fees', 'held', 'payouts_in_flight', 'refunds_in_flight', 'treasury', 'suspense', 'trading', 'network_fees', 'capital')),
	CONSTRAINT "ledger_postings_amount" CHECK ("ledger_postings"."amount" <> 0 and "ledger_postings"."amount" <> 'NaN')
);
--> statement-breakpoint
CREATE TABLE "invoices" (
	"id" text PRIMARY KEY NOT NULL,
	"external_id" uuid NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"seq" bigint NOT NULL,
	"status" text NOT NULL,
	"version" integer NOT NULL,
	"billing_type" text NOT NULL,
	"tolerance_ppm" integer NOT NULL,
	"tolerance_given" boolean NOT NULL,
	"asset" text,
	"due_units" numeric(78, 0),
	"base_units" numeric(78, 0),
	"original_units" numeric(78, 0),
	"deferral_units" numeric(78, 0),
	"pending_units" numeric(78, 0) NOT NULL,
	"credited_units" numeric(78, 0) NOT NULL,
	"held_units" numeric(78, 0) NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"processed_at" timestamp with time zone,
	"txid" text,
	"address_from" text,
	"fiat_currency" text NOT NULL,
	"initial_fiat_micros" numeric(78, 0) NOT NULL,
	"fee_bearer" text NOT NULL,
	"commission_ppm" integer NOT NULL,
	"price_modifier_ppm" integer,
	"initial_asset" text,
	"address_to" text,
	"customer_chooses" boolean DEFAULT false NOT NULL,
	"earlier_choices" text,
	"accepted_coins" text[],
	"excluded_coins" text[],
	"extra" text,
	"title" text,
	"description" text,
	"metadata" text,
	"payer_info" text,
	"on_paid_url" text,
	"on_cancel_url" text,
	"notify_url" text,
	"webhook_format" text NOT NULL,
	"permanent_address_id" text,
	"binds_permanent_address" boolean NOT NULL,
	"user_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone,
	CONSTRAINT "invoices_id" CHECK ("invoices"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "invoices_numbers" CHECK ("invoices"."seq" >= 1 and "invoices"."version" >= 0),
	CONSTRAINT "invoices_status" CHECK ("invoices"."status" in ('created', 'confirming', 'partially_paid', 'paid_over', 'success', 'failed', 'high_risk', 'expired', 'cancelled', 'refunded')),
	CONSTRAINT "invoices_billing_type" CHECK ("invoices"."billing_type" in ('STATIC', 'VARY')),
	CONSTRAINT "invoices_fee_bearer" CHECK ("invoices"."fee_bearer" in ('merchant', 'client')),
	CONSTRAINT "invoices_webhook_format" CHECK ("invoices"."webhook_format" in ('native_v2', 'cryptomus', 'heleket', 'nowpayments', 'coinpayments', 'coinpayments_v2')),
	CONSTRAINT "invoices_fiat_currency" CHECK ("invoices"."fiat_currency" ~ '^[A-Z]{3}$'),
	CONSTRAINT "invoices_percentages" CHECK ("invoices"."tolerance_ppm" between 0 and 100000 and ("invoices"."tolerance_given" or "invoices"."tolerance_ppm" = 0)
        and "invoices"."commission_ppm" between 0 and 1000000 and "invoices"."price_modifier_ppm" between -900000 and 900000),
	CONSTRAINT "invoices_fiat_amount" CHECK ("invoices"."initial_fiat_micros" >= 0 and "invoices"."initial_fiat_micros" <> 'NaN'),
	CONSTRAINT "invoices_price_complete" CHECK (num_nulls("invoices"."asset", "invoices"."due_units", "invoices"."base_units", "invoices"."deferral_units") in (0, 4)
        and ("invoices"."original_units" is null or ("invoices"."asset" is not null and "invoices"."price_modifier_ppm" is not null))
        and ("invoices"."address_to" is null or "invoices"."asset" is not null)
        and ("invoices"."initial_asset" is null) = ("invoices"."asset" is null)),
	CONSTRAINT "invoices_earlier_choices" CHECK ("invoices"."earlier_choices" is null or ("invoices"."customer_chooses" and "invoices"."asset" is not null
        and jsonb_array_length("invoices"."earlier_choices"::jsonb) > 0
        and not "invoices"."earlier_choices"::jsonb @> jsonb_build_array(jsonb_build_object('asset', "invoices"."asset")))),
	CONSTRAINT "invoices_price" CHECK ("invoices"."due_units" > 0 and "invoices"."due_units" <> 'NaN' and "invoices"."base_units" > 0 and "invoices"."base_units" <> 'NaN' and "invoices"."original_units" > 0 and "invoices"."original_units" <> 'NaN' and "invoices"."deferral_units" >= 0 and "invoices"."deferral_units" <> 'NaN'
        and "invoices"."base_units" <= "invoices"."due_units"),
	CONSTRAINT "invoices_funds" CHECK ("invoices"."pending_units" >= 0 and "invoices"."pending_units" <> 'NaN' and "invoices"."credited_units" >= 0 and "invoices"."credited_units" <> 'NaN' and "invoices"."held_units" >= 0 and "invoices"."held_units" <> 'NaN'),
	CONSTRAINT "invoices_funds_need_price" CHECK ("invoices"."asset" is not null or ("invoices"."pending_units" = 0 and "invoices"."credited_units" = 0 and "invoices"."held_units" = 0)),
	CONSTRAINT "invoices_status_needs_funds" CHECK (case "invoices"."status"
        when 'created' then "invoices"."credited_units" = 0 and "invoices"."held_units" = 0
        when 'confirming' then "invoices"."pending_units" > 0
        when 'partially_paid' then "invoices"."credited_units" > 0
        when 'success' then "invoices"."credited_units" > 0
        when 'paid_over' then "invoices"."credited_units" > 0
        when 'high_risk' then "invoices"."held_units" > 0
        when 'failed' then "invoices"."credited_units" = 0
        else true end),
	CONSTRAINT "invoices_processed_when_final" CHECK (("invoices"."processed_at" is null) = ("invoices"."status" in ('created', 'confirming')
        or ("invoices"."status" = 'partially_paid' and "invoices"."billing_type" = 'STATIC'))),
	CONSTRAINT "invoices_permanent_address" CHECK ((not "invoices"."binds_permanent_address" and "invoices"."permanent_address_id" is null)
        or ("invoices"."billing_type" = 'VARY' and "invoices"."user_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "addresses" (
	"family" text NOT NULL,
	"address" text NOT NULL,
	"deriver" text NOT NULL,
	"derivation_index" bigint NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"invoice_id" text,
	"permanent_address_id" text,
	"retired" integer DEFAULT 0 NOT NULL,
	"issued_at" timestamp with time zone,
	CONSTRAINT "addresses_family_address_pk" PRIMARY KEY("family","address"),
	CONSTRAINT "addresses_purpose" CHECK (num_nonnulls("addresses"."invoice_id", "addresses"."permanent_address_id") = 1),
	CONSTRAINT "addresses_index" CHECK ("addresses"."derivation_index" >= 0 and "addresses"."derivation_index" < 2147483648)
);
--> statement-breakpoint
CREATE TABLE "deposits" (
	"id" text PRIMARY KEY NOT NULL,
	"chain" text NOT NULL,
	"txid" text NOT NULL,
	"output" text NOT NULL,
	"asset" text NOT NULL,
	"address" text NOT NULL,
	"address_from" text,
	"units" numeric(78, 0) NOT NULL,
	"status" text NOT NULL,
	"block_height" bigint,
	"block_hash" text,
	"first_seen_at" timestamp with time zone NOT NULL,
	"unexplained" boolean NOT NULL,
	"locked_until" bigint,
	"encumbered" boolean DEFAULT false NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"invoice_id" text,
	"stray_reason" text,
	"note" text,
	"swept_by" text,
	CONSTRAINT "deposits_id" CHECK ("deposits"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "deposits_status" CHECK ("deposits"."status" in ('confirming', 'arrived', 'credited', 'held', 'rejected', 'stray', 'dropped', 'reversed')),
	CONSTRAINT "deposits_stray_reason" CHECK ("deposits"."stray_reason" in ('no_invoice', 'invoice_closed', 'older_than_invoice', 'invoice_ended', 'other_asset', 'below_minimum_for_earlier_choice', 'permanent_address_inactive', 'below_minimum', 'no_rate', 'sandbox_address', 'frozen_address', 'unexplained_balance', 'came_back_late') and ("deposits"."status" <> 'stray' or "deposits"."stray_reason" is not null)),
	CONSTRAINT "deposits_units" CHECK ("deposits"."units" > 0 and "deposits"."units" <> 'NaN'),
	CONSTRAINT "deposits_block" CHECK (num_nulls("deposits"."block_height", "deposits"."block_hash") in (0, 2) and "deposits"."block_height" >= 0),
	CONSTRAINT "deposits_arrived_for_invoice" CHECK ("deposits"."status" <> 'arrived' or "deposits"."invoice_id" is not null),
	CONSTRAINT "deposits_gone_without_block" CHECK ("deposits"."status" not in ('dropped', 'reversed') or "deposits"."block_height" is null)
);
--> statement-breakpoint
CREATE TABLE "derivation_indexes" (
	"deriver" text PRIMARY KEY NOT NULL,
	"next" bigint NOT NULL,
	CONSTRAINT "derivation_indexes_next" CHECK ("derivation_indexes"."next" between 0 and 2147483648)
);
--> statement-breakpoint
CREATE TABLE "derived_addresses" (
	"family" text NOT NULL,
	"derivation_index" bigint NOT NULL,
	"address" text NOT NULL,
	CONSTRAINT "derived_addresses_family_derivation_index_pk" PRIMARY KEY("family","derivation_index"),
	CONSTRAINT "derived_addresses_index" CHECK ("derived_addresses"."derivation_index" >= 0 and "derived_addresses"."derivation_index" < 2147483648)
);
--> statement-breakpoint
CREATE TABLE "permanent_addresses" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"user_id" text NOT NULL,
	"family" text NOT NULL,
	"address" text NOT NULL,
	"active" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"deactivated_at" timestamp with time zone,
	"metadata" text,
	"notify_url" text,
	"webhook_format" text DEFAULT 'native_v2' NOT NULL,
	CONSTRAINT "permanent_addresses_id" CHECK ("permanent_addresses"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "permanent_addresses_family" CHECK ("permanent_addresses"."family" in ('evm', 'bitcoin', 'litecoin', 'bitcoincash', 'tron', 'solana', 'xrp', 'ton')),
	CONSTRAINT "permanent_addresses_webhook_format" CHECK ("permanent_addresses"."webhook_format" in ('native_v2', 'cryptomus', 'heleket', 'nowpayments', 'coinpayments', 'coinpayments_v2')),
	CONSTRAINT "permanent_addresses_active" CHECK ("permanent_addresses"."active" = ("permanent_addresses"."deactivated_at" is null))
);
--> statement-breakpoint
CREATE TABLE "wallet_keys" (
	"family" text NOT NULL,
	"fingerprint" text NOT NULL,
	"noted_at" timestamp with time zone NOT NULL,
	"replaced_at" timestamp with time zone,
	CONSTRAINT "wallet_keys_family_fingerprint_pk" PRIMARY KEY("family","fingerprint"),
	CONSTRAINT "wallet_keys_family" CHECK ("wallet_keys"."family" in ('evm', 'bitcoin', 'litecoin', 'bitcoincash', 'tron', 'solana', 'xrp', 'ton', 'monero')),
	CONSTRAINT "wallet_keys_fingerprint" CHECK ("wallet_keys"."fingerprint" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"id" text PRIMARY KEY NOT NULL,
	"delivery_id" text,
	"invoice_id" text,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"seq" bigint NOT NULL,
	"url" text NOT NULL,
	"status_code" integer,
	"response_body" text NOT NULL,
	"attempt" integer NOT NULL,
	"sent_at" timestamp with time zone NOT NULL,
	CONSTRAINT "webhook_attempts_id" CHECK ("webhook_attempts"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "webhook_attempts_numbers" CHECK ("webhook_attempts"."seq" >= 1 and "webhook_attempts"."attempt" >= 1),
	CONSTRAINT "webhook_attempts_subject" CHECK ("webhook_attempts"."delivery_id" is not null or "webhook_attempts"."invoice_id" is null)
);
--> statement-breakpoint
CREATE TABLE "webhook_circuits" (
	"destination" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"silences" integer NOT NULL,
	"failed_trials" integer NOT NULL,
	"try_at" timestamp with time zone,
	"merchants" text[] NOT NULL,
	"silent_since" timestamp with time zone NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	"reason" text NOT NULL,
	CONSTRAINT "webhook_circuits_state" CHECK ("webhook_circuits"."state" in ('closed', 'open', 'half_open')),
	CONSTRAINT "webhook_circuits_try_at" CHECK (("webhook_circuits"."state" = 'closed') = ("webhook_circuits"."try_at" is null)),
	CONSTRAINT "webhook_circuits_counts" CHECK ("webhook_circuits"."silences" >= 1 and "webhook_circuits"."failed_trials" >= 0)
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"invoice_id" text,
	"payout_id" text,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"invoice_version" integer,
	"url" text,
	"body" text NOT NULL,
	"format" text DEFAULT 'native_v2' NOT NULL,
	"foreign_body" text,
	"event_seq" bigint,
	"event_at" timestamp with time zone,
	CONSTRAINT "webhook_deliveries_id" CHECK ("webhook_deliveries"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "webhook_deliveries_subject" CHECK (num_nonnulls("webhook_deliveries"."invoice_id", "webhook_deliveries"."payout_id") = 1),
	CONSTRAINT "webhook_deliveries_event" CHECK ("webhook_deliveries"."event_seq" >= 1 and ("webhook_deliveries"."event_at" is null or "webhook_deliveries"."event_seq" is not null)
        and ("webhook_deliveries"."event_at" is not null or ("webhook_deliveries"."url" is not null and "webhook_deliveries"."payout_id" is null))),
	CONSTRAINT "webhook_deliveries_format" CHECK ("webhook_deliveries"."format" in ('native_v2', 'cryptomus', 'heleket', 'nowpayments', 'coinpayments', 'coinpayments_v2')),
	CONSTRAINT "webhook_deliveries_foreign_body" CHECK (("webhook_deliveries"."format" = 'native_v2') = ("webhook_deliveries"."foreign_body" is null))
);
--> statement-breakpoint
CREATE TABLE "webhook_queue" (
	"delivery_id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"destination" text DEFAULT '-' NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"attempts" integer NOT NULL,
	"leased_until" timestamp with time zone,
	"dead_at" timestamp with time zone,
	CONSTRAINT "webhook_queue_attempts" CHECK ("webhook_queue"."attempts" >= 0 and ("webhook_queue"."attempts" > 0 or "webhook_queue"."leased_until" is null)),
	CONSTRAINT "webhook_queue_dead_not_leased" CHECK ("webhook_queue"."dead_at" is null or "webhook_queue"."leased_until" is null)
);
--> statement-breakpoint
ALTER TABLE "found_paid" ADD CONSTRAINT "found_paid_payout_id_payouts_id_fk" FOREIGN KEY ("payout_id") REFERENCES "public"."payouts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "found_paid" ADD CONSTRAINT "found_paid_chain_txid_unknown_transactions_chain_txid_fk" FOREIGN KEY ("chain","txid") REFERENCES "public"."unknown_transactions"("chain","txid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "coins" ADD CONSTRAINT "coins_claimed_by_outgoing_transfers_id_fk" FOREIGN KEY ("claimed_by") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD CONSTRAINT "outgoing_transfers_bundle" FOREIGN KEY ("bundle_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signed_transactions" ADD CONSTRAINT "signed_transactions_bundle_id_outgoing_transfers_id_fk" FOREIGN KEY ("bundle_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_topup_id_outgoing_transfers_id_fk" FOREIGN KEY ("topup_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_lend_id_outgoing_transfers_id_fk" FOREIGN KEY ("lend_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_transfer_id_outgoing_transfers_id_fk" FOREIGN KEY ("transfer_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_reclaim_id_outgoing_transfers_id_fk" FOREIGN KEY ("reclaim_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uniq_ids" ADD CONSTRAINT "uniq_ids_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "balances" ADD CONSTRAINT "balances_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "counters" ADD CONSTRAINT "counters_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "merchant_brands" ADD CONSTRAINT "merchant_brands_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_deposit_id_deposits_id_fk" FOREIGN KEY ("deposit_id") REFERENCES "public"."deposits"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_reversed_by" FOREIGN KEY ("reversed_by") REFERENCES "public"."ledger_entries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_postings" ADD CONSTRAINT "ledger_postings_entry_id_ledger_entries_id_fk" FOREIGN KEY ("entry_id") REFERENCES "public"."ledger_entries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_permanent_address_id_permanent_addresses_id_fk" FOREIGN KEY ("permanent_address_id") REFERENCES "public"."permanent_addresses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deposits" ADD CONSTRAINT "deposits_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deposits" ADD CONSTRAINT "deposits_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deposits" ADD CONSTRAINT "deposits_swept_by_sweeps_id_fk" FOREIGN KEY ("swept_by") REFERENCES "public"."sweeps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "permanent_addresses" ADD CONSTRAINT "permanent_addresses_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_payout_id_payouts_id_fk" FOREIGN KEY ("payout_id") REFERENCES "public"."payouts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_queue" ADD CONSTRAINT "webhook_queue_delivery_id_webhook_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."webhook_deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "list_count_changes_of_list" ON "list_count_changes" USING btree ("merchant_id","sandbox","list");--> statement-breakpoint
CREATE INDEX "found_paid_by_transaction" ON "found_paid" USING btree ("chain","txid");--> statement-breakpoint
CREATE INDEX "unknown_transactions_by_time" ON "unknown_transactions" USING btree ("noted_at");--> statement-breakpoint
CREATE INDEX "stored_answers_by_expiry" ON "stored_answers" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "coins_free" ON "coins" USING btree ("chain","units") WHERE "coins"."claimed_by" is null and "coins"."block_height" is not null;--> statement-breakpoint
CREATE INDEX "coins_of_bundle" ON "coins" USING btree ("claimed_by") WHERE "coins"."claimed_by" is not null;--> statement-breakpoint
CREATE INDEX "coins_doubted" ON "coins" USING btree ("chain") WHERE "coins"."doubted";--> statement-breakpoint
CREATE INDEX "coins_unbooked" ON "coins" USING btree ("chain","block_height") WHERE not "coins"."booked";--> statement-breakpoint
CREATE INDEX "coins_booked_without_block" ON "coins" USING btree ("chain") WHERE "coins"."booked" and "coins"."block_height" is null;--> statement-breakpoint
CREATE INDEX "coins_change_addresses" ON "coins" USING btree ("address") WHERE "coins"."key_role" = 'change';--> statement-breakpoint
CREATE UNIQUE INDEX "outgoing_transfers_one_per_sequence" ON "outgoing_transfers" USING btree ("chain","wallet","sequence","position") WHERE not "outgoing_transfers"."taken_out";--> statement-breakpoint
CREATE INDEX "outgoing_transfers_taken_out" ON "outgoing_transfers" USING btree ("chain","wallet","sequence") WHERE "outgoing_transfers"."taken_out";--> statement-breakpoint
CREATE INDEX "outgoing_transfers_of_bundle" ON "outgoing_transfers" USING btree ("bundle_id");--> statement-breakpoint
CREATE UNIQUE INDEX "outgoing_transfers_one_per_reference" ON "outgoing_transfers" USING btree ("purpose","reference_id") WHERE "outgoing_transfers"."status" <> 'failed' and not "outgoing_transfers"."voided";--> statement-breakpoint
CREATE INDEX "outgoing_transfers_open" ON "outgoing_transfers" USING btree ("chain","wallet","sequence") WHERE "outgoing_transfers"."status" in ('allocated', 'signed');--> statement-breakpoint
CREATE INDEX "outgoing_transfers_settled" ON "outgoing_transfers" USING btree ("chain","block_height") WHERE "outgoing_transfers"."block_height" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "signed_transactions_txid" ON "signed_transactions" USING btree ("txid");--> statement-breakpoint
CREATE UNIQUE INDEX "capital_bookings_one_per_block" ON "capital_bookings" USING btree ("chain","asset","block_height") WHERE "capital_bookings"."coin" is null;--> statement-breakpoint
CREATE INDEX "capital_bookings_of_coin" ON "capital_bookings" USING btree ("chain","coin") WHERE "capital_bookings"."coin" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "sweeps_one_open" ON "sweeps" USING btree ("chain","address","asset") WHERE "sweeps"."status" in ('planned', 'topping_up', 'lending', 'sweeping', 'reclaiming');--> statement-breakpoint
CREATE UNIQUE INDEX "sweeps_one_active" ON "sweeps" USING btree ("chain","address") WHERE "sweeps"."status" in ('topping_up', 'lending', 'sweeping', 'reclaiming');--> statement-breakpoint
CREATE INDEX "sweeps_open" ON "sweeps" USING btree ("chain","id") WHERE "sweeps"."status" in ('planned', 'topping_up', 'lending', 'sweeping', 'reclaiming');--> statement-breakpoint
CREATE INDEX "sweeps_failed" ON "sweeps" USING btree ("chain","id") WHERE "sweeps"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "sweeps_of_address" ON "sweeps" USING btree ("chain","address");--> statement-breakpoint
CREATE UNIQUE INDEX "payouts_by_seq" ON "payouts" USING btree ("merchant_id","sandbox","seq");--> statement-breakpoint
CREATE INDEX "payouts_by_time" ON "payouts" USING btree ("merchant_id","sandbox","created_at","seq");--> statement-breakpoint
CREATE INDEX "payouts_by_asset" ON "payouts" USING btree ("merchant_id","sandbox","asset","seq");--> statement-breakpoint
CREATE INDEX "payouts_by_amount" ON "payouts" USING btree ("merchant_id","sandbox","amount_micro_usd","id","seq","asset");--> statement-breakpoint
CREATE INDEX "payouts_by_update" ON "payouts" USING btree ("merchant_id","sandbox",coalesce("updated_at", "processed_at", "created_at"),"seq","updated_at","processed_at","created_at") WHERE "payouts"."seq" is not null;--> statement-breakpoint
CREATE INDEX "payouts_by_ref" ON "payouts" USING btree ("merchant_id","sandbox","ref","seq") WHERE "payouts"."ref" is not null;--> statement-breakpoint
CREATE INDEX "payouts_by_address" ON "payouts" USING btree ("merchant_id","sandbox",lower("address"),"seq");--> statement-breakpoint
CREATE INDEX "payouts_by_transaction" ON "payouts" USING gin ("tx_hashes") WITH (fastupdate=false) WHERE "payouts"."tx_hashes" <> '{}';--> statement-breakpoint
CREATE INDEX "payouts_open" ON "payouts" USING btree ("sandbox","id") WHERE "payouts"."status" in ('pending', 'processing');--> statement-breakpoint
CREATE INDEX "payouts_to_send" ON "payouts" USING btree ("asset","tried_at" NULLS FIRST,"id") WHERE not "payouts"."sandbox" and "payouts"."status" = 'pending' and "payouts"."held" is null and "payouts"."waiting_code" is distinct from 'merchant';--> statement-breakpoint
CREATE INDEX "payouts_to_send_by_merchant" ON "payouts" USING btree ("asset","merchant_id","tried_at" NULLS FIRST,"id") WHERE not "payouts"."sandbox" and "payouts"."status" = 'pending' and "payouts"."held" is null and "payouts"."waiting_code" is distinct from 'merchant';--> statement-breakpoint
CREATE INDEX "payouts_of_barred_merchants" ON "payouts" USING btree ("merchant_id","id") WHERE "payouts"."waiting_code" = 'merchant';--> statement-breakpoint
CREATE INDEX "payouts_let_go" ON "payouts" USING btree ("merchant_id","let_go_at") WHERE "payouts"."let_go_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "payouts_one_refund" ON "payouts" USING btree ("invoice_id") WHERE "payouts"."invoice_id" is not null and "payouts"."status" in ('pending', 'processing');--> statement-breakpoint
CREATE INDEX "payouts_of_invoice" ON "payouts" USING btree ("invoice_id") WHERE "payouts"."invoice_id" is not null;--> statement-breakpoint
CREATE INDEX "uniq_ids_by_expiry" ON "uniq_ids" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_one_active" ON "api_keys" USING btree ("merchant_id","sandbox") WHERE "api_keys"."revoked_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_one_older" ON "api_keys" USING btree ("merchant_id","sandbox") WHERE "api_keys"."lives_until" is not null;--> statement-breakpoint
CREATE INDEX "merchant_brands_logo" ON "merchant_brands" USING btree ("logo_digest") WHERE "merchant_brands"."logo_digest" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_feed_by_seq" ON "ledger_entries" USING btree ("merchant_id","sandbox","feed_seq") WHERE "ledger_entries"."feed_seq" is not null;--> statement-breakpoint
CREATE INDEX "ledger_feed_by_time" ON "ledger_entries" USING btree ("merchant_id","sandbox","at","feed_seq") WHERE "ledger_entries"."feed_seq" is not null;--> statement-breakpoint
CREATE INDEX "ledger_feed_by_type" ON "ledger_entries" USING btree ("merchant_id","sandbox","feed_type","feed_seq") WHERE "ledger_entries"."feed_seq" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_of_reference" ON "ledger_entries" USING btree ("reference_id","ordinal");--> statement-breakpoint
CREATE INDEX "ledger_of_deposit" ON "ledger_entries" USING btree ("deposit_id") WHERE "ledger_entries"."deposit_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_arrival" ON "ledger_entries" USING btree ("deposit_id") WHERE "ledger_entries"."kind" = 'deposit_arrived' and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_credit_or_hold" ON "ledger_entries" USING btree ("deposit_id") WHERE "ledger_entries"."kind" in ('income', 'hold') and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_reserve" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" in ('payout_reserved', 'payout_retaken') and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_end_of_reserve" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" in ('payout_settled', 'refund_settled') and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_network_fee" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" = 'network_fee' and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_fee_charge" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" in ('payout_fee_charged', 'refund_fee_charged') and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_external_id" ON "invoices" USING btree ("external_id");--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_by_seq" ON "invoices" USING btree ("merchant_id","sandbox","seq");--> statement-breakpoint
CREATE INDEX "invoices_by_time" ON "invoices" USING btree ("merchant_id","sandbox","created_at","seq");--> statement-breakpoint
CREATE INDEX "invoices_by_status" ON "invoices" USING btree ("merchant_id","sandbox","status","seq");--> statement-breakpoint
CREATE INDEX "invoices_by_asset_and_status" ON "invoices" USING btree ("merchant_id","sandbox","asset","status","seq");--> statement-breakpoint
CREATE INDEX "invoices_by_amount" ON "invoices" USING btree ("merchant_id","sandbox","initial_fiat_micros","id","seq","status","asset");--> statement-breakpoint
CREATE INDEX "invoices_expiring" ON "invoices" USING btree ((case when sandbox or asset is null then '' else split_part(asset, '_', 2) end),"expires_at","id") WHERE "invoices"."status" = 'created' or ("invoices"."status" = 'partially_paid' and "invoices"."billing_type" = 'STATIC');--> statement-breakpoint
CREATE INDEX "invoices_in_check" ON "invoices" USING btree ("status") WHERE "invoices"."status" in ('confirming', 'high_risk');--> statement-breakpoint
CREATE INDEX "invoices_waiting_on_permanent_address" ON "invoices" USING btree ("permanent_address_id","asset","seq") WHERE "invoices"."permanent_address_id" is not null and "invoices"."status" = 'created';--> statement-breakpoint
CREATE INDEX "invoices_by_update" ON "invoices" USING btree ("merchant_id","sandbox",coalesce("updated_at", "processed_at", "created_at"),"seq","updated_at","processed_at","created_at");--> statement-breakpoint
CREATE INDEX "invoices_by_user" ON "invoices" USING btree ("merchant_id","sandbox","user_id","seq") WHERE "invoices"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "invoices_chosen_anew_on_permanent_address" ON "invoices" USING btree ("user_id") WHERE "invoices"."earlier_choices" is not null and "invoices"."binds_permanent_address" and "invoices"."status" = 'created';--> statement-breakpoint
CREATE UNIQUE INDEX "addresses_of_invoice" ON "addresses" USING btree ("invoice_id","family","retired") WHERE "addresses"."invoice_id" is not null;--> statement-breakpoint
CREATE INDEX "addresses_of_permanent_address" ON "addresses" USING btree ("permanent_address_id") WHERE "addresses"."permanent_address_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "deposits_credit_key" ON "deposits" USING btree ("chain","txid","output");--> statement-breakpoint
CREATE INDEX "deposits_of_invoice" ON "deposits" USING btree ("invoice_id","first_seen_at","id") WHERE "deposits"."invoice_id" is not null;--> statement-breakpoint
CREATE INDEX "deposits_by_block" ON "deposits" USING btree ("chain","block_height") WHERE "deposits"."block_height" is not null;--> statement-breakpoint
CREATE INDEX "deposits_unfinal" ON "deposits" USING btree ("chain","block_height") WHERE "deposits"."status" = 'confirming' and "deposits"."block_height" is not null;--> statement-breakpoint
CREATE INDEX "deposits_without_block" ON "deposits" USING btree ("chain") WHERE "deposits"."block_height" is null and "deposits"."status" not in ('dropped', 'reversed');--> statement-breakpoint
CREATE INDEX "deposits_to_screen" ON "deposits" USING btree ("first_seen_at") WHERE "deposits"."status" = 'arrived';--> statement-breakpoint
CREATE INDEX "deposits_open" ON "deposits" USING btree ("status","first_seen_at") WHERE "deposits"."status" in ('held', 'stray');--> statement-breakpoint
CREATE INDEX "deposits_at_address" ON "deposits" USING btree ("chain","address");--> statement-breakpoint
CREATE INDEX "deposits_not_swept" ON "deposits" USING btree ("chain","address","asset") WHERE "deposits"."swept_by" is null and "deposits"."status" not in ('dropped', 'reversed');--> statement-breakpoint
CREATE UNIQUE INDEX "derived_addresses_once" ON "derived_addresses" USING btree ("family","address");--> statement-breakpoint
CREATE UNIQUE INDEX "permanent_addresses_one_active" ON "permanent_addresses" USING btree ("merchant_id","sandbox","user_id","family") WHERE "permanent_addresses"."active";--> statement-breakpoint
CREATE INDEX "permanent_addresses_by_time" ON "permanent_addresses" USING btree ("merchant_id","sandbox","created_at","id","family","active","user_id");--> statement-breakpoint
CREATE INDEX "permanent_addresses_by_user" ON "permanent_addresses" USING btree ("merchant_id","sandbox","user_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_keys_one_wallet" ON "wallet_keys" USING btree ("family") WHERE "wallet_keys"."replaced_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_attempts_by_seq" ON "webhook_attempts" USING btree ("merchant_id","sandbox","seq");--> statement-breakpoint
CREATE INDEX "webhook_attempts_by_time" ON "webhook_attempts" USING btree ("merchant_id","sandbox","sent_at","seq");--> statement-breakpoint
CREATE INDEX "webhook_attempts_of_invoice" ON "webhook_attempts" USING btree ("invoice_id","seq") WHERE "webhook_attempts"."invoice_id" is not null;--> statement-breakpoint
CREATE INDEX "webhook_attempts_of_payout" ON "webhook_attempts" USING btree ("delivery_id","seq") WHERE "webhook_attempts"."invoice_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_one_per_transition" ON "webhook_deliveries" USING btree ("invoice_id","invoice_version") WHERE "webhook_deliveries"."invoice_version" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_events" ON "webhook_deliveries" USING btree ("merchant_id","sandbox","event_seq") WHERE "webhook_deliveries"."event_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_of_payout" ON "webhook_deliveries" USING btree ("payout_id","event_seq") WHERE "webhook_deliveries"."payout_id" is not null;--> statement-breakpoint
CREATE INDEX "webhook_queue_due" ON "webhook_queue" USING btree ("due_at","delivery_id") WHERE "webhook_queue"."dead_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_queue_lanes" ON "webhook_queue" USING btree ("merchant_id","destination","due_at","delivery_id") WHERE "webhook_queue"."dead_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_queue_dead" ON "webhook_queue" USING btree ("dead_at","delivery_id") WHERE "webhook_queue"."dead_at" is not null;--> statement-breakpoint
-- From here on by hand: what the schema language cannot say.

-- The ledger is append-only, and its entries balance at commit.
-- A session keeps the plan of its first calls, without enable_seqscan = off. One that was made while
-- the table was small reads all of it for each entry, however large it has become: a thousand payments
-- in the first minutes of a database took ten seconds of commits.
CREATE FUNCTION ledger_assert_balanced(entry text) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM ledger_postings p WHERE p.entry_id = entry) THEN
    RAISE EXCEPTION 'ledger entry % has no postings', entry
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balances';
  END IF;
  IF EXISTS (SELECT FROM ledger_postings p WHERE p.entry_id = entry GROUP BY p.currency HAVING sum(p.amount) <> 0) THEN
    RAISE EXCEPTION 'the postings of ledger entry % do not sum to zero', entry
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balances';
  END IF;
END $$;
--> statement-breakpoint
CREATE FUNCTION ledger_entry_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_assert_balanced(NEW.id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION ledger_posting_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_assert_balanced(NEW.entry_id);
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Deferred: an entry and its postings are separate statements of one transaction.
CREATE CONSTRAINT TRIGGER ledger_entry_balances AFTER INSERT ON ledger_entries
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_entry_inserted();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER ledger_posting_balances AFTER INSERT ON ledger_postings
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_posting_inserted();
--> statement-breakpoint
CREATE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The one thing that may be added to an entry, once, is which later entry took it back.
  IF TG_TABLE_NAME = 'ledger_entries' AND TG_OP = 'UPDATE' THEN
    IF to_jsonb(OLD) -> 'reversed_by' = 'null'::jsonb
      AND to_jsonb(NEW) - 'reversed_by' = to_jsonb(OLD) - 'reversed_by' THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the ledger is append-only: % on % refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_is_append_only';
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION ledger_is_append_only();
--> statement-breakpoint
CREATE TRIGGER ledger_postings_append_only BEFORE UPDATE OR DELETE ON ledger_postings
  FOR EACH ROW EXECUTE FUNCTION ledger_is_append_only();
--> statement-breakpoint
-- The counts beside the lists, by blocks of 16,384 numbers. A statement adds what it changed, so
-- whoever writes waits for nobody. What a statement leaves as it was adds nothing.
CREATE FUNCTION count_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'invoices', status, coalesce(asset, ''), (seq - 1) / 16384, count(*) FROM now_so GROUP BY 1, 2, 3, 4, 5, 6;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'invoices', status, coalesce(asset, ''), (seq - 1) / 16384, sum(change) FROM (
      SELECT merchant_id, sandbox, status, asset, seq, 1 AS change FROM now_so
      UNION ALL SELECT merchant_id, sandbox, status, asset, seq, -1 FROM was_so) AS c
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(change) <> 0;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'invoices', status, coalesce(asset, ''), (seq - 1) / 16384, -count(*) FROM was_so GROUP BY 1, 2, 3, 4, 5, 6;
  ELSE
    DELETE FROM list_counts WHERE list = 'invoices';
    DELETE FROM list_count_changes WHERE list = 'invoices';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_payouts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'payouts', '', asset, (seq - 1) / 16384, count(*) FROM now_so WHERE seq IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'payouts', '', asset, (seq - 1) / 16384, -count(*) FROM was_so WHERE seq IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
  ELSE
    DELETE FROM list_counts WHERE list = 'payouts';
    DELETE FROM list_count_changes WHERE list = 'payouts';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_feed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'ledger', feed_type, '', (feed_seq - 1) / 16384, count(*) FROM now_so WHERE feed_seq IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_count_changes (merchant_id, sandbox, list, label, asset, block, change)
    SELECT merchant_id, sandbox, 'ledger', feed_type, '', (feed_seq - 1) / 16384, -count(*) FROM was_so WHERE feed_seq IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
  ELSE
    DELETE FROM list_counts WHERE list = 'ledger';
    DELETE FROM list_count_changes WHERE list = 'ledger';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_added AFTER INSERT ON invoices REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
--> statement-breakpoint
CREATE TRIGGER count_changed AFTER UPDATE ON invoices REFERENCING OLD TABLE AS was_so NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
--> statement-breakpoint
CREATE TRIGGER count_removed AFTER DELETE ON invoices REFERENCING OLD TABLE AS was_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
--> statement-breakpoint
CREATE TRIGGER count_emptied AFTER TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
--> statement-breakpoint
CREATE TRIGGER count_added AFTER INSERT ON payouts REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_payouts();
--> statement-breakpoint
CREATE TRIGGER count_removed AFTER DELETE ON payouts REFERENCING OLD TABLE AS was_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_payouts();
--> statement-breakpoint
CREATE TRIGGER count_emptied AFTER TRUNCATE ON payouts FOR EACH STATEMENT EXECUTE FUNCTION count_payouts();
--> statement-breakpoint
CREATE TRIGGER count_added AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_feed();
--> statement-breakpoint
CREATE TRIGGER count_removed AFTER DELETE ON ledger_entries REFERENCING OLD TABLE AS was_so
  FOR EACH STATEMENT EXECUTE FUNCTION count_feed();
--> statement-breakpoint
CREATE TRIGGER count_emptied AFTER TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION count_feed();
--> statement-breakpoint
-- Also where a load of rows turns triggers off.
ALTER TABLE invoices ENABLE ALWAYS TRIGGER count_added, ENABLE ALWAYS TRIGGER count_changed,
  ENABLE ALWAYS TRIGGER count_removed, ENABLE ALWAYS TRIGGER count_emptied;
--> statement-breakpoint
ALTER TABLE payouts ENABLE ALWAYS TRIGGER count_added, ENABLE ALWAYS TRIGGER count_removed, ENABLE ALWAYS TRIGGER count_emptied;
--> statement-breakpoint
ALTER TABLE ledger_entries ENABLE ALWAYS TRIGGER count_added, ENABLE ALWAYS TRIGGER count_removed,
  ENABLE ALWAYS TRIGGER count_emptied;
--> statement-breakpoint
-- The references of invoices, whoever creates them.
CREATE FUNCTION keep_invoice_extras() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO invoice_extras (merchant_id, sandbox, extra, seq)
    SELECT merchant_id, sandbox, extra, seq FROM now_so WHERE extra IS NOT NULL;
  ELSIF TG_OP = 'DELETE' THEN
    DELETE FROM invoice_extras e USING was_so w
    WHERE e.merchant_id = w.merchant_id AND e.sandbox = w.sandbox AND e.extra = w.extra AND e.seq = w.seq;
  ELSE
    DELETE FROM invoice_extras;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER extra_added AFTER INSERT ON invoices REFERENCING NEW TABLE AS now_so
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_extras();
--> statement-breakpoint
CREATE TRIGGER extra_removed AFTER DELETE ON invoices REFERENCING OLD TABLE AS was_so
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_extras();
--> statement-breakpoint
CREATE TRIGGER extra_emptied AFTER TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_extras();
--> statement-breakpoint
-- Also where a load of rows turns triggers off.
ALTER TABLE invoices ENABLE ALWAYS TRIGGER extra_added, ENABLE ALWAYS TRIGGER extra_removed, ENABLE ALWAYS TRIGGER extra_emptied;
--> statement-breakpoint
-- Rows that are updated again and again keep their new versions on the same page.
ALTER TABLE counters SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE balances SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE derivation_indexes SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE chain_cursors SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE webhook_queue SET (fillfactor = 50);
--> statement-breakpoint
-- Totals are counted from indexes alone, which needs the visibility map to be kept fresh on growing
-- tables.
ALTER TABLE invoices SET (fillfactor = 90, autovacuum_vacuum_insert_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE payouts SET (autovacuum_vacuum_insert_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE ledger_entries SET (autovacuum_vacuum_insert_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE webhook_attempts SET (autovacuum_vacuum_insert_scale_factor = 0.02);
--> statement-breakpoint
-- Rows come and go all the time.
ALTER TABLE list_count_changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
--> statement-breakpoint
-- The one row of the kill switch: signing goes on.
INSERT INTO signing_switch (singleton, stopped_at, note) VALUES (true, NULL, '');
