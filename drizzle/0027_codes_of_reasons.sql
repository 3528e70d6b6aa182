ALTER TABLE "outgoing_transfers" DROP CONSTRAINT "outgoing_transfers_failure";--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "stray_reason" text;--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD COLUMN "failure_code" text;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "held_code" text;--> statement-breakpoint
ALTER TABLE "sweeps" ADD COLUMN "reason_code" text;--> statement-breakpoint
-- What the sentences meant. One that is not known here keeps its text, and has the code that fits its row's state.
UPDATE "deposits" SET "stray_reason" = meant.code, "note" = NULL FROM (VALUES
    ('its address belongs to no invoice', 'no_invoice'),
    ('its invoice did not take payments any more', 'invoice_closed'),
    ('under 2 USD when its invoice ended', 'invoice_ended'),
    ('another asset than the invoice asked for', 'other_asset'),
    ('under 2 USD for an earlier choice of its invoice', 'below_minimum_for_earlier_choice'),
    ('its permanent address is deactivated', 'permanent_address_inactive'),
    ('under 2 USD at a permanent address', 'below_minimum'),
    ('no exchange rate was known', 'no_rate'),
    ('paid to a sandbox address', 'sandbox_address'),
    ('its address is frozen: its owner changed', 'frozen_address'),
    ('found by balance reconciliation: no payment explains it', 'unexplained_balance'),
    ('came back after its invoice had ended', 'came_back_late'),
    ('came back after its invoice had changed its asset', 'came_back_late')
  ) AS meant (note, code) WHERE "deposits"."note" = meant.note;--> statement-breakpoint
UPDATE "deposits" SET "stray_reason" = 'no_invoice'
  WHERE "stray_reason" IS NULL AND ("status" = 'stray' OR "invoice_id" IS NULL);--> statement-breakpoint
UPDATE "outgoing_transfers" SET "failure_code" = CASE
    WHEN "failure" IN ('given up by an operator', 'cancelled by an operator') OR "failure" LIKE 'held by an operator: %' THEN 'operator'
    WHEN "failure" = 'the chain carried the transaction without its effect' THEN 'reverted'
    WHEN "failure" = 'its sequence was used by another transaction' THEN 'superseded'
    WHEN "failure" = 'it was given up, and what was signed expired' THEN 'expired'
    WHEN "failure" IN ('a coin that it spends has left the chain', 'a coin that it was to spend is gone') THEN 'coin_lost'
    WHEN "failure" = 'the payout had ended' THEN 'payout_ended'
    WHEN "failure" = 'its merchant may not be paid out' THEN 'merchant_barred'
    WHEN "failure" = 'it took too long for the energy that was to be lent' THEN 'loan_late'
    WHEN "failure" = 'less is lent than was to be taken back' THEN 'loan_gone'
    WHEN "failure" = 'the settings of the account, by a transaction that moves nothing' THEN 'account_settings'
    WHEN "purpose" = 'gap' THEN 'unused_sequence'
    WHEN "failure" IN ('it was given up', 'voided') THEN 'given_up'
    WHEN NOT "voided" AND "block_height" IS NOT NULL THEN 'reverted'
    ELSE 'signer_refused'
  END WHERE "failure" IS NOT NULL;--> statement-breakpoint
UPDATE "payouts" SET "held_code" = CASE
    WHEN "held" LIKE 'limit: %' THEN 'limit'
    WHEN "held" LIKE 'not signed: %' THEN 'signer'
    ELSE 'operator'
  END WHERE "held" IS NOT NULL;--> statement-breakpoint
UPDATE "sweeps" SET "reason_code" = CASE
    WHEN "reason" IN ('the risk check keeps a payment at this address', 'a deposit at the address is not decided') THEN 'withheld'
    WHEN "reason" = 'at present it costs too much of what it would bring' THEN 'not_worth_it'
    WHEN "reason" = 'the fee is higher than what would be moved' THEN 'too_dear'
    WHEN "reason" = 'what leaves the hot wallet already, and payouts, come first' THEN 'no_place'
    WHEN "reason" = 'the hot wallet is asked for gas in the next step' THEN 'gas_unknown'
    WHEN "reason" LIKE 'liquidity: %' THEN 'liquidity'
    WHEN "reason" = 'nothing is there that could be moved' THEN 'empty'
    WHEN "reason" = 'fees rose above the gas that was sent' THEN 'fees_rose'
    WHEN "reason" = 'no energy is lent any more' THEN 'loan_gone'
    WHEN "reason" = 'no energy could be lent' THEN 'loan_refused'
    WHEN "reason" IN ('it took too long for the energy that was to be lent', 'less is lent than was to be taken back') THEN 'loan_late'
    WHEN "reason" = 'given up by an operator' THEN 'operator'
    WHEN "reason" = 'an earlier sweep of the address is open again' THEN 'earlier_reopened'
    WHEN "reason" = 'a reorganisation removed the block of its transfer' THEN 'reorganised'
    ELSE 'transfer_failed'
  END WHERE "reason" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "deposits" ADD CONSTRAINT "deposits_stray_reason" CHECK ("deposits"."stray_reason" in ('no_invoice', 'invoice_closed', 'invoice_ended', 'other_asset', 'below_minimum_for_earlier_choice', 'permanent_address_inactive', 'below_minimum', 'no_rate', 'sandbox_address', 'frozen_address', 'unexplained_balance', 'came_back_late') and ("deposits"."status" <> 'stray' or "deposits"."stray_reason" is not null));--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD CONSTRAINT "outgoing_transfers_failure" CHECK (("outgoing_transfers"."failure" is not null) = ("outgoing_transfers"."status" = 'failed' or ("outgoing_transfers"."voided" and "outgoing_transfers"."status" <> 'confirmed'))
        and num_nulls("outgoing_transfers"."failure", "outgoing_transfers"."failure_code") in (0, 2) and "outgoing_transfers"."failure_code" in ('operator', 'signer_refused', 'chain_refused', 'reverted', 'superseded', 'expired', 'coin_lost', 'payout_ended', 'merchant_barred', 'loan_late', 'loan_gone', 'unused_sequence', 'account_settings', 'given_up'));--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_held" CHECK (num_nulls("payouts"."held", "payouts"."held_code") in (0, 2) and "payouts"."held_code" in ('operator', 'limit', 'signer', 'liquidity', 'unclear', 'fee', 'restored'));--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_reason" CHECK (num_nulls("sweeps"."reason", "sweeps"."reason_code") in (0, 2) and "sweeps"."reason_code" in ('withheld', 'not_worth_it', 'too_dear', 'no_place', 'gas_unknown', 'liquidity', 'empty', 'fees_rose', 'loan_gone', 'loan_refused', 'loan_late', 'transfer_failed', 'operator', 'earlier_reopened', 'reorganised'));