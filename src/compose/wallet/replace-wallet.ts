/**
 * Gives a database another wallet on an operator's order: the former one is lost, or no longer to
 * be used.
 */
import type { ReplacedWallet } from '../../adapters/postgres/sending/replace-wallet.ts';
import type { WalletKeys } from '../../adapters/postgres/sending/wallet-keys.ts';
import { keyFingerprints } from '../../adapters/signer/key-fingerprints.ts';
import type { Config } from '../../config/types.ts';
import { compareWallets, type KeyFingerprint } from '../../domain/chains/wallet-keys.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import { addressesOfOthers, masterKeyOf, ownWalletFingerprints, presentWallet } from './open-wallet.ts';

export type WalletReplacement =
  | ({ readonly kind: 'replaced'; readonly families: readonly string[] } & ReplacedWallet)
  /** The database belongs to the wallet of DATA_DIR, or to none. */
  | { readonly kind: 'nothing_to_replace' }
  | { readonly kind: 'in_use'; readonly sessions: number };

/**
 * The wallet of DATA_DIR replaces it, and is created if there is none. `newMasterKey`:
 * DATA_DIR/master.key is lost as well and may be created again; API keys sealed with it are lost.
 * Throws WalletRefused without it, and KeystoreError.
 */
export function replaceWallet(
  config: Config,
  { walletKeys, clock }: { walletKeys: WalletKeys; clock: Clock },
  { newMasterKey }: { newMasterKey: boolean },
): Promise<WalletReplacement> {
  return walletKeys.replacing(async (held) => {
    const sessions = await held.otherSessions();
    if (sessions > 0) return { kind: 'in_use', sessions };
    const noted = await held.noted();
    if (noted.length === 0 && !(await held.isUsed())) return { kind: 'nothing_to_replace' };
    masterKeyOf(config, { mayMake: newMasterKey });
    const wallet = await presentWallet(config);
    const found = [...keyFingerprints(wallet.keys), ...ownWalletFingerprints(config)];
    const { differing, added } = compareWallets(noted, found);
    // A database of an earlier version has no fingerprints: its addresses show which families have
    // another key now.
    const others = noted.length > 0 ? differing : await addressesOfOthers(config, held, wallet);
    const families = [...new Set(others.map(({ family }) => family))];
    if (families.length === 0 && noted.length > 0) return { kind: 'nothing_to_replace' };
    const isReplaced = ({ family }: KeyFingerprint): boolean => families.includes(family);
    await held.note(
      added.filter((key) => !isReplaced(key)),
      clock.now(),
    );
    const replacing = found.filter(isReplaced);
    return { kind: 'replaced', families, ...(await held.replace(replacing, clock.now())) };
  });
}
