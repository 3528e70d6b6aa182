/** The checkout's parts that come from the configuration and the chains. */
import type { Config } from '../config/types.ts';
import type { WalletPayment } from '../ports/chains/wallet-payments.ts';
import type { ComposedChains } from './chains/chains.ts';
import { confirmationsOf } from './chains/configured-confirmations.ts';
import { explorers } from './chains/configured-explorers.ts';
import { chainIds, walletNetworks } from './chains/configured-networks.ts';

export const checkoutOf = (config: Config, { walletPayments }: Pick<ComposedChains, 'walletPayments'>) => ({
  explorer: explorers(config),
  confirmations: confirmationsOf(config),
  chainId: chainIds(config),
  walletNetwork: walletNetworks(config),
  walletTransaction: async (chain: string, payment: WalletPayment) =>
    (await walletPayments.get(chain)?.unsigned(payment)) ?? null,
});
