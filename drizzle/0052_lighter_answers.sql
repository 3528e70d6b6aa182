ALTER TABLE "stored_answers" DROP CONSTRAINT "stored_answers_merchant_id_merchants_id_fk";
