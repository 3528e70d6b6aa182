/** For chains that are composed without a database: a node of any chain will do. */
import type { ChainIdentity } from '../../../src/ports/chains/chain-identity.ts';

export const ANY_CHAIN: { of(chain: string): ChainIdentity } = { of: () => ({ isOurs: async () => true }) };
