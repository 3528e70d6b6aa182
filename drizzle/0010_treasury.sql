CREATE TABLE "capital_bookings" (
	"id" text PRIMARY KEY NOT NULL,
	"chain" text NOT NULL,
	"asset" text NOT NULL,
	"units" numeric(78, 0) NOT NULL,
	"block_height" bigint NOT NULL,
	"block_hash" text NOT NULL,
	"note" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "capital_bookings_id" CHECK ("capital_bookings"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "capital_bookings_units" CHECK ("capital_bookings"."units" <> 0 and "capital_bookings"."units" <> 'NaN'),
	CONSTRAINT "capital_bookings_block" CHECK ("capital_bookings"."block_height" >= 0)
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
	"transfer_id" text,
	"reason" text,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "sweeps_id" CHECK ("sweeps"."id" ~ '^[0-9a-f]{24}$'),
	CONSTRAINT "sweeps_status" CHECK ("sweeps"."status" in ('planned', 'topping_up', 'sweeping', 'done', 'failed')),
	CONSTRAINT "sweeps_units" CHECK ("sweeps"."units" > 0 and "sweeps"."units" <> 'NaN'),
	CONSTRAINT "sweeps_transfers" CHECK (("sweeps"."status" <> 'topping_up' or "sweeps"."topup_id" is not null)
        and ("sweeps"."status" not in ('sweeping', 'done') or ("sweeps"."transfer_id" is not null and "sweeps"."units" is not null))
        and ("sweeps"."status" <> 'planned' or num_nonnulls("sweeps"."topup_id", "sweeps"."transfer_id") = 0)),
	CONSTRAINT "sweeps_ended" CHECK (("sweeps"."ended_at" is not null) = ("sweeps"."status" in ('done', 'failed'))
        and ("sweeps"."status" <> 'failed' or "sweeps"."reason" is not null))
);
--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "swept_by" text;--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_topup_id_outgoing_transfers_id_fk" FOREIGN KEY ("topup_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_transfer_id_outgoing_transfers_id_fk" FOREIGN KEY ("transfer_id") REFERENCES "public"."outgoing_transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "capital_bookings_one_per_block" ON "capital_bookings" USING btree ("chain","asset","block_height");--> statement-breakpoint
CREATE UNIQUE INDEX "sweeps_one_open" ON "sweeps" USING btree ("chain","address","asset") WHERE "sweeps"."status" in ('planned', 'topping_up', 'sweeping');--> statement-breakpoint
CREATE UNIQUE INDEX "sweeps_one_active" ON "sweeps" USING btree ("chain","address") WHERE "sweeps"."status" in ('topping_up', 'sweeping');--> statement-breakpoint
CREATE INDEX "sweeps_open" ON "sweeps" USING btree ("chain","id") WHERE "sweeps"."status" in ('planned', 'topping_up', 'sweeping');--> statement-breakpoint
CREATE INDEX "sweeps_failed" ON "sweeps" USING btree ("chain","id") WHERE "sweeps"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "sweeps_of_address" ON "sweeps" USING btree ("chain","address");--> statement-breakpoint
ALTER TABLE "deposits" ADD CONSTRAINT "deposits_swept_by_sweeps_id_fk" FOREIGN KEY ("swept_by") REFERENCES "public"."sweeps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deposits_at_address" ON "deposits" USING btree ("chain","address");--> statement-breakpoint
CREATE INDEX "deposits_not_swept" ON "deposits" USING btree ("chain","address","asset") WHERE "deposits"."swept_by" is null and "deposits"."status" not in ('dropped', 'reversed');