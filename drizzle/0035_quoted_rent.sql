-- Payouts on Solana were charged the rent of a recipient's token account before it was told apart: they may still make one.
UPDATE "payouts" SET "extra_gas" = 4000000
WHERE "asset" LIKE '%\_solana' AND "asset" <> 'sol_solana' AND "status" IN ('pending', 'processing') AND "extra_gas" = 0;
