/** The contracts about merchants, chains and stored answers, in memory. */
import { describeChainHealthRepository } from '../../../contracts/chains/chain-health-repository.ts';
import { describeChainRepository } from '../../../contracts/chains/chain-repository.ts';
import { describeNodeUsageRepository } from '../../../contracts/chains/node-usage-repository.ts';
import { describeFollowedAddresses } from '../../../contracts/lists/followed-addresses.ts';
import { describeBrands } from '../../../contracts/merchants/brands.ts';
import { describeMerchantRepository } from '../../../contracts/merchants/merchant-repository.ts';
import { describeStoredAnswers } from '../../../contracts/stored-answers.ts';
import { describeWebhookSecrets } from '../../../contracts/webhooks/webhook-secrets.ts';
import { memoryDatabase } from '../memory-database.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open() {
  const { ports } = memoryDatabase(memoryStore());
  return {
    ...ports,
    intakes: [ports.invoiceWriter, ports.invoiceWriter] as const,
    payoutIntakes: [ports.payoutWriter, ports.payoutWriter] as const,
    close: async () => undefined,
  };
}

describeMerchantRepository('memory', open);
describeWebhookSecrets('memory', open);
describeBrands('memory', open);
describeChainRepository('memory', open);
describeChainHealthRepository('memory', open);
describeNodeUsageRepository('memory', open);
describeStoredAnswers('memory', open);
describeFollowedAddresses('memory', open);
