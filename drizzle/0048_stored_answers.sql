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
ALTER TABLE "stored_answers" ADD CONSTRAINT "stored_answers_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "stored_answers_by_expiry" ON "stored_answers" USING btree ("expires_at");