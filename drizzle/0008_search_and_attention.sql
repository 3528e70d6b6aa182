DROP INDEX "permanent_addresses_by_user";--> statement-breakpoint
DROP INDEX "invoices_by_user";--> statement-breakpoint
DROP INDEX "payouts_by_ref";--> statement-breakpoint
DROP INDEX "payouts_by_address";--> statement-breakpoint
DROP INDEX "audit_log_by_subject";--> statement-breakpoint
ALTER TABLE "invoice_emails" DROP CONSTRAINT "invoice_emails_merchant_id_sandbox_email_seq_pk";--> statement-breakpoint
ALTER TABLE "invoice_extras" DROP CONSTRAINT "invoice_extras_merchant_id_sandbox_extra_seq_pk";--> statement-breakpoint
ALTER TABLE "invoice_emails" ADD CONSTRAINT "invoice_emails_email_merchant_id_sandbox_seq_pk" PRIMARY KEY("email","merchant_id","sandbox","seq");--> statement-breakpoint
ALTER TABLE "invoice_extras" ADD CONSTRAINT "invoice_extras_extra_merchant_id_sandbox_seq_pk" PRIMARY KEY("extra","merchant_id","sandbox","seq");--> statement-breakpoint
ALTER TABLE "webhook_queue" ADD COLUMN "sandbox" boolean;--> statement-breakpoint
UPDATE webhook_queue q SET sandbox = d.sandbox FROM webhook_deliveries d WHERE d.id = q.delivery_id;--> statement-breakpoint
ALTER TABLE "webhook_queue" ALTER COLUMN "sandbox" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "deposits_by_sender" ON "deposits" USING btree (lower("address_from"),"merchant_id","sandbox","id") WHERE "deposits"."address_from" is not null;--> statement-breakpoint
CREATE INDEX "invoices_asked" ON "invoices" USING btree ("asset","due_units","merchant_id","sandbox","id") WHERE "invoices"."status" in ('created', 'partially_paid', 'expired', 'cancelled');--> statement-breakpoint
CREATE INDEX "webhook_queue_dead_of_merchant" ON "webhook_queue" USING btree ("merchant_id","sandbox","dead_at","delivery_id") WHERE "webhook_queue"."dead_at" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_by_time" ON "audit_log" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "permanent_addresses_by_user" ON "permanent_addresses" USING btree ("user_id","merchant_id","sandbox","created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_by_user" ON "invoices" USING btree ("user_id","merchant_id","sandbox","seq") WHERE "invoices"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "payouts_by_ref" ON "payouts" USING btree ("ref","merchant_id","sandbox","seq") WHERE "payouts"."ref" is not null;--> statement-breakpoint
CREATE INDEX "payouts_by_address" ON "payouts" USING btree (lower("address"),"merchant_id","sandbox","seq");--> statement-breakpoint
CREATE INDEX "audit_log_by_subject" ON "audit_log" USING btree ("subject_id","id") WHERE "audit_log"."subject_id" is not null;