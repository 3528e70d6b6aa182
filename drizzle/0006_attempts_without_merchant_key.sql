ALTER TABLE "webhook_attempts" DROP CONSTRAINT "webhook_attempts_merchant_id_merchants_id_fk";
