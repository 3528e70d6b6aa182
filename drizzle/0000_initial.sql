CREATE TABLE "addresses" (
	"family" text NOT NULL,
	"address" text NOT NULL,
	"deriver" text NOT NULL,
	"derivation_index" bigint NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"invoice_id" text,
	"permanent_address_id" text,
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
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"invoice_id" text,
	"note" text,
	CONSTRAINT "deposits_id" CHECK ("deposits"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "deposits_status" CHECK ("deposits"."status" in ('confirming', 'arrived', 'credited', 'held', 'rejected', 'stray', 'dropped', 'reversed')),
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
	CONSTRAINT "permanent_addresses_id" CHECK ("permanent_addresses"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "permanent_addresses_family" CHECK ("permanent_addresses"."family" in ('evm', 'bitcoin', 'litecoin', 'bitcoincash', 'tron', 'solana', 'xrp', 'ton')),
	CONSTRAINT "permanent_addresses_active" CHECK ("permanent_addresses"."active" = ("permanent_addresses"."deactivated_at" is null))
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
	"finalized_height" bigint NOT NULL,
	CONSTRAINT "chain_cursors_heights" CHECK ("chain_cursors"."height" >= -1 and "chain_cursors"."finalized_height" >= -1)
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
CREATE TABLE "ledger_entries" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
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
	CONSTRAINT "ledger_entries_id" CHECK ("ledger_entries"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "ledger_entries_kind" CHECK ("ledger_entries"."kind" in ('deposit_arrived', 'deposit_departed', 'income', 'income_reversed', 'hold', 'hold_reversed', 'payout_reserved', 'payout_settled', 'payout_released', 'refund', 'refund_reversed')),
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
	CONSTRAINT "ledger_postings_account" CHECK ("ledger_postings"."account" in ('merchant', 'fees', 'held', 'payouts_in_flight', 'refunds_in_flight', 'treasury', 'suspense', 'trading')),
	CONSTRAINT "ledger_postings_amount" CHECK ("ledger_postings"."amount" <> 0 and "ledger_postings"."amount" <> 'NaN')
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"lookup_hash" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"sealed" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone
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
	CONSTRAINT "counters_stream" CHECK ("counters"."stream" in ('invoices', 'payouts', 'ledger', 'notifications')),
	CONSTRAINT "counters_value" CHECK ("counters"."value" >= 0)
);
--> statement-breakpoint
CREATE TABLE "merchants" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"kyc" text NOT NULL,
	"callback_url" text,
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
CREATE TABLE "payouts" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"seq" bigint NOT NULL,
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
	"fee_bearer" text NOT NULL,
	"amount_micro_usd" numeric(78, 0) NOT NULL,
	"reserved_micro_usd" numeric(78, 0) NOT NULL,
	"ref" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "payouts_id" CHECK ("payouts"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "payouts_seq" CHECK ("payouts"."seq" >= 1),
	CONSTRAINT "payouts_status" CHECK ("payouts"."status" in ('pending', 'processing', 'success', 'failed', 'cancelled')),
	CONSTRAINT "payouts_fee_bearer" CHECK ("payouts"."fee_bearer" in ('merchant', 'client')),
	CONSTRAINT "payouts_amounts" CHECK ("payouts"."amount_units" > 0 and "payouts"."amount_units" <> 'NaN' and "payouts"."sent_units" > 0 and "payouts"."sent_units" <> 'NaN' and "payouts"."sent_units" <= "payouts"."amount_units"
        and "payouts"."fee_units" >= 0 and "payouts"."fee_units" <> 'NaN' and "payouts"."fee_micro_usd" >= 0 and "payouts"."fee_micro_usd" <> 'NaN' and "payouts"."energy_fee_micro_usd" >= 0 and "payouts"."energy_fee_micro_usd" <> 'NaN' and "payouts"."amount_micro_usd" >= 0 and "payouts"."amount_micro_usd" <> 'NaN' and "payouts"."reserved_micro_usd" >= 0 and "payouts"."reserved_micro_usd" <> 'NaN'),
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
	CONSTRAINT "webhook_attempts_subject" CHECK (("webhook_attempts"."delivery_id" is null) = ("webhook_attempts"."invoice_id" is null))
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"invoice_id" text NOT NULL,
	"merchant_id" text NOT NULL,
	"sandbox" boolean NOT NULL,
	"invoice_version" integer,
	"url" text NOT NULL,
	"body" text NOT NULL,
	"state" text NOT NULL,
	"attempts" integer NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"leased_until" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "webhook_deliveries_id" CHECK ("webhook_deliveries"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "webhook_deliveries_state" CHECK ("webhook_deliveries"."state" in ('pending', 'delivered', 'dead')),
	CONSTRAINT "webhook_deliveries_ended" CHECK (("webhook_deliveries"."state" = 'pending') = ("webhook_deliveries"."ended_at" is null) and ("webhook_deliveries"."state" = 'pending' or "webhook_deliveries"."leased_until" is null)),
	CONSTRAINT "webhook_deliveries_attempts" CHECK ("webhook_deliveries"."attempts" >= 0 and ("webhook_deliveries"."attempts" > 0 or ("webhook_deliveries"."state" = 'pending' and "webhook_deliveries"."leased_until" is null)))
);
--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_permanent_address_id_permanent_addresses_id_fk" FOREIGN KEY ("permanent_address_id") REFERENCES "public"."permanent_addresses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deposits" ADD CONSTRAINT "deposits_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deposits" ADD CONSTRAINT "deposits_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "permanent_addresses" ADD CONSTRAINT "permanent_addresses_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_deposit_id_deposits_id_fk" FOREIGN KEY ("deposit_id") REFERENCES "public"."deposits"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_reversed_by" FOREIGN KEY ("reversed_by") REFERENCES "public"."ledger_entries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_postings" ADD CONSTRAINT "ledger_postings_entry_id_ledger_entries_id_fk" FOREIGN KEY ("entry_id") REFERENCES "public"."ledger_entries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "balances" ADD CONSTRAINT "balances_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "counters" ADD CONSTRAINT "counters_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uniq_ids" ADD CONSTRAINT "uniq_ids_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "deposits_credit_key" ON "deposits" USING btree ("chain","txid","output");--> statement-breakpoint
CREATE INDEX "deposits_of_invoice" ON "deposits" USING btree ("invoice_id") WHERE "deposits"."invoice_id" is not null;--> statement-breakpoint
CREATE INDEX "deposits_by_block" ON "deposits" USING btree ("chain","block_height") WHERE "deposits"."block_height" is not null;--> statement-breakpoint
CREATE INDEX "deposits_unfinal" ON "deposits" USING btree ("chain","block_height") WHERE "deposits"."status" = 'confirming' and "deposits"."block_height" is not null;--> statement-breakpoint
CREATE INDEX "deposits_without_block" ON "deposits" USING btree ("chain") WHERE "deposits"."block_height" is null and "deposits"."status" in ('confirming', 'arrived', 'credited', 'held', 'stray');--> statement-breakpoint
CREATE INDEX "deposits_to_screen" ON "deposits" USING btree ("first_seen_at") WHERE "deposits"."status" = 'arrived';--> statement-breakpoint
CREATE INDEX "deposits_open" ON "deposits" USING btree ("status","first_seen_at") WHERE "deposits"."status" in ('held', 'stray');--> statement-breakpoint
CREATE UNIQUE INDEX "permanent_addresses_one_active" ON "permanent_addresses" USING btree ("merchant_id","sandbox","user_id","family") WHERE "permanent_addresses"."active";--> statement-breakpoint
CREATE INDEX "permanent_addresses_by_time" ON "permanent_addresses" USING btree ("merchant_id","sandbox","created_at","id","family","active","user_id");--> statement-breakpoint
CREATE INDEX "permanent_addresses_by_user" ON "permanent_addresses" USING btree ("merchant_id","sandbox","user_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_external_id" ON "invoices" USING btree ("external_id");--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_by_seq" ON "invoices" USING btree ("merchant_id","sandbox","seq");--> statement-breakpoint
CREATE INDEX "invoices_by_time" ON "invoices" USING btree ("merchant_id","sandbox","created_at","seq");--> statement-breakpoint
CREATE INDEX "invoices_by_status" ON "invoices" USING btree ("merchant_id","sandbox","status","seq","asset");--> statement-breakpoint
CREATE INDEX "invoices_by_asset" ON "invoices" USING btree ("merchant_id","sandbox","asset","seq");--> statement-breakpoint
CREATE INDEX "invoices_by_amount" ON "invoices" USING btree ("merchant_id","sandbox","initial_fiat_micros","id","seq","status","asset");--> statement-breakpoint
CREATE INDEX "invoices_expiring" ON "invoices" USING btree ("expires_at","id") WHERE "invoices"."status" = 'created' or ("invoices"."status" = 'partially_paid' and "invoices"."billing_type" = 'STATIC');--> statement-breakpoint
CREATE INDEX "invoices_in_check" ON "invoices" USING btree ("status") WHERE "invoices"."status" in ('confirming', 'high_risk');--> statement-breakpoint
CREATE INDEX "invoices_waiting_on_permanent_address" ON "invoices" USING btree ("permanent_address_id","asset","seq") WHERE "invoices"."permanent_address_id" is not null and "invoices"."status" = 'created';--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_feed_by_seq" ON "ledger_entries" USING btree ("merchant_id","sandbox","feed_seq") WHERE "ledger_entries"."feed_seq" is not null;--> statement-breakpoint
CREATE INDEX "ledger_feed_by_time" ON "ledger_entries" USING btree ("merchant_id","sandbox","at","feed_seq") WHERE "ledger_entries"."feed_seq" is not null;--> statement-breakpoint
CREATE INDEX "ledger_feed_by_type" ON "ledger_entries" USING btree ("merchant_id","sandbox","feed_type","feed_seq") WHERE "ledger_entries"."feed_seq" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_of_reference" ON "ledger_entries" USING btree ("reference_id","ordinal");--> statement-breakpoint
CREATE INDEX "ledger_of_deposit" ON "ledger_entries" USING btree ("deposit_id") WHERE "ledger_entries"."deposit_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_arrival" ON "ledger_entries" USING btree ("deposit_id") WHERE "ledger_entries"."kind" = 'deposit_arrived' and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_credit_or_hold" ON "ledger_entries" USING btree ("deposit_id") WHERE "ledger_entries"."kind" in ('income', 'hold') and "ledger_entries"."reversed_by" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_reserve" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" = 'payout_reserved';--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_end_of_reserve" ON "ledger_entries" USING btree ("reference_id") WHERE "ledger_entries"."kind" in ('payout_settled', 'payout_released');--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_one_active" ON "api_keys" USING btree ("merchant_id","sandbox") WHERE "api_keys"."revoked_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "payouts_by_seq" ON "payouts" USING btree ("merchant_id","sandbox","seq");--> statement-breakpoint
CREATE INDEX "payouts_by_time" ON "payouts" USING btree ("merchant_id","sandbox","created_at","seq");--> statement-breakpoint
CREATE INDEX "payouts_by_asset" ON "payouts" USING btree ("merchant_id","sandbox","asset","seq");--> statement-breakpoint
CREATE INDEX "payouts_by_amount" ON "payouts" USING btree ("merchant_id","sandbox","amount_micro_usd","id","seq","asset");--> statement-breakpoint
CREATE INDEX "payouts_open" ON "payouts" USING btree ("sandbox","id") WHERE "payouts"."status" in ('pending', 'processing');--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_attempts_by_seq" ON "webhook_attempts" USING btree ("merchant_id","sandbox","seq");--> statement-breakpoint
CREATE INDEX "webhook_attempts_by_time" ON "webhook_attempts" USING btree ("merchant_id","sandbox","sent_at","seq");--> statement-breakpoint
CREATE INDEX "webhook_attempts_of_invoice" ON "webhook_attempts" USING btree ("invoice_id","seq") WHERE "webhook_attempts"."invoice_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_one_per_transition" ON "webhook_deliveries" USING btree ("invoice_id","invoice_version") WHERE "webhook_deliveries"."invoice_version" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("due_at","id") WHERE "webhook_deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_dead" ON "webhook_deliveries" USING btree ("ended_at","id") WHERE "webhook_deliveries"."state" = 'dead';