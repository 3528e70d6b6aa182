/** The contracts about merchants, chains, wallet keys and stored answers, in memory. */
import { describeAssetsInUse } from '../../../contracts/chains/assets-in-use.ts';
import { describeChainHealthRepository } from '../../../contracts/chains/chain-health-repository.ts';
import { describeChainRecords } from '../../../contracts/chains/chain-records.ts';
import { describeChainRepository } from '../../../contracts/chains/chain-repository.ts';
import { describeNodeUsageRepository } from '../../../contracts/chains/node-usage-repository.ts';
import { describeFollowedAddresses } from '../../../contracts/lists/followed-addresses.ts';
import { describeBrands } from '../../../contracts/merchants/brands.ts';
import { describeMerchantQueries } from '../../../contracts/merchants/merchant-queries.ts';
import { describeMerchantRepository } from '../../../contracts/merchants/merchant-repository.ts';
import { describeStoredAnswers } from '../../../contracts/stored-answers.ts';
import { describeWalletKeys } from '../../../contracts/treasury/wallet-keys.ts';
import { describeWebhookSecrets } from '../../../contracts/webhooks/webhook-secrets.ts';
import { memoryDatabase } from '../memory-database.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open() {
  const { ports, ...others } = memoryDatabase(memoryStore());
  return {
    ...others,
    ...ports,
    intakes: [ports.invoiceWriter, ports.invoiceWriter] as const,
    payoutIntakes: [ports.payoutWriter, ports.payoutWriter] as const,
    close: async () => undefined,
  };
}

describeMerchantRepository('memory', open);
describeMerchantQueries('memory', open);
describeWebhookSecrets('memory', open);
describeBrands('memory', open);
describeChainRepository('memory', open);
describeChainHealthRepository('memory', open);
describeNodeUsageRepository('memory', open);
describeStoredAnswers('memory', open);
describeFollowedAddresses('memory', open);
describeAssetsInUse('memory', open);
describeChainRecords('memory', open);
describeWalletKeys('memory', open);
