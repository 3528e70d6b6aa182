/**
 * How payouts must not be sent: the control of the drill, which has to find it out (safety.md,
 * "Paid once").
 */
import { evmSigning } from '../../../src/adapters/chains/evm/send/sign.ts';
import { solanaSigning } from '../../../src/adapters/chains/solana/codec/sign.ts';
import { tonSigning } from '../../../src/adapters/chains/ton/codec/sign.ts';
import { tonNetwork } from '../../../src/adapters/chains/ton/network.ts';
import { tronSigning } from '../../../src/adapters/chains/tron/codec/sign.ts';
import { utxoNetwork } from '../../../src/adapters/chains/utxo/network.ts';
import { utxoSigning } from '../../../src/adapters/chains/utxo/send/sign.ts';
import { xrpSigning } from '../../../src/adapters/chains/xrp/codec/sign.ts';
import { xrpNetwork } from '../../../src/adapters/chains/xrp/network.ts';
import type { Database } from '../../../src/adapters/postgres/client/client.ts';
import { openKeystore } from '../../../src/adapters/signer/keystore.ts';
import { hotWalletOf, type SendingChain } from '../../../src/app/sending/sending-chain.ts';
import type { Config } from '../../../src/config/types.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { type Family, isUtxo, type NetworkName } from '../../../src/domain/catalog/family.ts';
import type { UnitOfWork } from '../../../src/ports/repositories.ts';
import type { FamilySigning } from '../../../src/ports/sending/family-signing.ts';
import type { Signer } from '../../../src/ports/sending/signer.ts';
import type { Utxo } from '../../../src/ports/sending/utxo-spending.ts';
import { sendingOrder, signingOrder } from '../utxo/lone-orders.ts';

interface Row {
  readonly id: string;
  readonly asset: string;
  readonly address: string;
  readonly sent_units: string;
}

interface Careless {
  readonly chain: SendingChain;
  readonly database: Database;
  readonly unitOfWork: UnitOfWork;
}

/**
 * Signs whatever it is asked to: the gateway's own signer would refuse a second nonce for a payout.
 */
export async function carelessSigner(config: Config): Promise<Signer> {
  const masterKey = Buffer.from(config.masterKey ?? '', 'hex');
  const keystore = await openKeystore({ directory: config.dataDir, masterKey, createIfMissing: false });
  const mnemonic = () => keystore.mnemonic();
  const [name = ''] = Object.keys(config.chains);
  const { family } = chainNamed(name);
  const { sign } = signingOf(family, { network: config.chains[name]?.network ?? 'main', mnemonic });
  return { sign, addresses: async () => [], coldAddress: async () => null, close: async () => undefined };
}

function signingOf(
  family: Family,
  { network, mnemonic }: { network: NetworkName; mnemonic(): Promise<string> },
): FamilySigning {
  if (isUtxo(family)) return utxoSigning({ network: utxoNetwork(family, network), mnemonic });
  if (family === 'ton') return tonSigning({ network: tonNetwork('main'), mnemonic });
  if (family === 'xrp') return xrpSigning({ network: xrpNetwork(null), mnemonic });
  if (family === 'tron') return tronSigning({ mnemonic });
  return family === 'solana' ? solanaSigning({ mnemonic }) : evmSigning({ mnemonic });
}

/** Sends pending payouts one after the other, for ever. */
export async function sendCarelessly(careless: Careless): Promise<never> {
  for (;;) {
    const [row] = await careless.database.query<Row>(
      `select id, asset, address, sent_units from payouts where status = 'pending' order by random() limit 1`,
    );
    if (row) await sendOne(careless, row).catch(() => undefined);
    await Bun.sleep(row ? 0 : 50);
  }
}

async function sendOne(careless: Careless, row: Row): Promise<void> {
  const { chain, database } = careless;
  const wallet = hotWalletOf(chain);
  const nonce = await chain.sender.nextNonce(wallet);
  const units = BigInt(row.sent_units);
  const order = { wallet, nonce, asset: row.asset, to: row.address, units, voids: false };
  const inputs = await spendableUtxos(careless, units);
  const { payload } = await chain.sender.prepare({ ...sendingOrder(order), inputs }, null);
  const signing = signingOrder({
    ...order,
    transferId: row.id,
    chain: chain.chain,
    key: { role: 'hot' },
    toKey: null,
    purpose: 'payout',
    referenceId: row.id,
    payload,
  });
  const { raw, txid } = await chain.signer.sign({ ...signing, inputs });
  const { kind } = await chain.sender.broadcast(raw);
  if (kind !== 'accepted') throw new Error('not taken: again later');
  await database.query(
    `update payouts set status = 'success', txid = $2, tx_hashes = array[$2], processed_at = now()
     where id = $1 and status = 'pending'`,
    [row.id, txid],
  );
}

/**
 * On a UTXO chain: any that is large enough and that the node says is unspent, which nobody claims.
 */
async function spendableUtxos({ chain, unitOfWork }: Careless, units: bigint): Promise<readonly Utxo[]> {
  const { utxos } = chain.sender;
  if (utxos === null) return [];
  const known = await unitOfWork.run((repositories) =>
    repositories.utxos.free(chain.chain, Number.MAX_SAFE_INTEGER, 500),
  );
  const large = known.filter((coin) => coin.units > 2n * units);
  const from = Math.floor(Math.random() * large.length);
  for (const coin of [...large.slice(from), ...large.slice(0, from)])
    if ((await utxos.unspent([coin]))[0]) return [coin];
  throw new Error('no coin is free: again later');
}
