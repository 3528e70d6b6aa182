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
	"counted_from" timestamp with time zone NOT NULL,
	"counted_until" timestamp with time zone NOT NULL,
	CONSTRAINT "node_usage_chain_node_day_pk" PRIMARY KEY("chain","node","day"),
	CONSTRAINT "node_usage_state" CHECK ("node_usage"."state" in ('able', 'limited', 'resting', 'wrong_chain')),
	CONSTRAINT "node_usage_counts" CHECK ("node_usage"."calls" >= 0 and "node_usage"."refusals" >= 0 and "node_usage"."bytes" >= 0)
);
