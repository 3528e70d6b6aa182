/** A fake chain of coins keeps the contract of a sender of coins, where payments are replaced and where they are not. */
import { describeCoinSender } from '../../contracts/coin-sender.ts';
import { fakeCoinCase, stageFakeCoins } from '../../support/fake-coin-stage.ts';

for (const family of ['bitcoin', 'litecoin', 'bitcoincash'] as const)
  describeCoinSender(`fake ${family}`, async () => fakeCoinCase(stageFakeCoins(family)));
