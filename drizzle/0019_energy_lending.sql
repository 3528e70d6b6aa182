ALTER TABLE "outgoing_transfers" DROP CONSTRAINT "outgoing_transfers_purpose";--> statement-breakpoint
ALTER TABLE "sweeps" DROP CONSTRAINT "sweeps_status";--> statement-breakpoint
ALTER TABLE "sweeps" DROP CONSTRAINT "sweeps_transfers";--> statement-breakpoint
DROP INDEX "sweeps_one_open";--> statement-breakpoint
DROP INDEX "sweeps_one_active";--> statement-breakpoint
DROP INDEX "sweeps_open";--> statement-breakpoint
ALTER TABLE "sweeps" ADD COLUMN "lend_id" text;--> statement-breakpoint
ALTER TABLE "sweeps" ADD COLUMN "reclaim_id" text;--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_lend_id_outgoing_transfers_id_fk" FOREIGN KEY ("lend_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_reclaim_id_outgoing_transfers_id_fk" FOREIGN KEY ("reclaim_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "sweeps_one_open" ON "sweeps" USING btree ("chain","address","asset") WHERE "sweeps"."status" in ('planned', 'topping_up', 'lending', 'sweeping', 'reclaiming');--> statement-breakpoint
CREATE UNIQUE INDEX "sweeps_one_active" ON "sweeps" USING btree ("chain","address") WHERE "sweeps"."status" in ('topping_up', 'lending', 'sweeping', 'reclaiming');--> statement-breakpoint
CREATE INDEX "sweeps_open" ON "sweeps" USING btree ("chain","id") WHERE "sweeps"."status" in ('planned', 'topping_up', 'lending', 'sweeping', 'reclaiming');--> statement-breakpoint
ALTER TABLE "outgoing_transfers" ADD CONSTRAINT "outgoing_transfers_purpose" CHECK ("outgoing_transfers"."purpose" in ('payout', 'sweep', 'topup', 'gap', 'bump', 'consolidation', 'lend', 'reclaim'));--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_status" CHECK ("sweeps"."status" in ('planned', 'topping_up', 'lending', 'sweeping', 'reclaiming', 'done', 'failed'));--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_transfers" CHECK (("sweeps"."status" <> 'topping_up' or "sweeps"."topup_id" is not null)
        and ("sweeps"."status" not in ('lending', 'reclaiming') or "sweeps"."lend_id" is not null)
        and ("sweeps"."reclaim_id" is null or "sweeps"."lend_id" is not null)
        and ("sweeps"."status" not in ('sweeping', 'done') or ("sweeps"."transfer_id" is not null and "sweeps"."units" is not null))
        and ("sweeps"."status" <> 'planned' or num_nonnulls("sweeps"."topup_id", "sweeps"."lend_id", "sweeps"."transfer_id") = 0));