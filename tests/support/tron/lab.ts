/**
 * A laboratory on the Tron test server: the test contracts deployed, a rich customer, and payments
 * of every kind.
 */
import { createHash } from 'node:crypto';
import { addressHex, addressText } from '../../../src/adapters/chains/tron/address.ts';
import { buildTransaction, type Draft } from './build.ts';
import type { HexAddress } from './machine.ts';
import { TRX } from './parameters.ts';
import { type ContractName, interfaceOf, startTronServer, type TronServer } from './server.ts';
import { utils } from './tronweb.ts';

const START_MS = 1_790_000_000_000;
const LIFE_MS = 60_000;
const FEE_LIMIT = 1_000 * Number(TRX);
const PERMISSION_OPERATIONS = '7fff1fc0033e0000000000000000000000000000000000000000000000000000';
export const TOKEN_SUPPLY = 10n ** 30n;

export interface Party {
  readonly privateKey: string;
  readonly address: string;
  readonly hex: HexAddress;
}

export interface TronLab {
  readonly server: TronServer;
  /** Owns all tokens, and a billion TRX. */
  readonly customer: Party;
  /**
   * Addresses of the deployed contracts. `usdt` has the manners of Tron's USDT; `named` says that
   * its symbol is LAB.
   */
  readonly contracts: Readonly<Record<'usdt' | 'usdc' | 'named' | 'spoofing' | 'router', string>>;
  /** A never used address. */
  freshAddress(): string;
  /** A party with 10,000 TRX. */
  party(): Promise<Party>;
  /** Into the pool; answers the txid. Throws when the node refuses. */
  send(what: Pick<Draft, 'type' | 'value'>, from?: Party): Promise<string>;
  payTrx(to: string, sun: bigint, from?: Party): Promise<string>;
  /** Calls a contract's method by a transaction, with a value in sun. */
  trigger(
    contract: string,
    call: { name: ContractName; method: string; args: readonly unknown[]; value?: bigint },
    from?: Party,
  ): Promise<string>;
  payToken(token: 'usdt' | 'usdc' | 'named', to: string, units: bigint, from?: Party): Promise<string>;
  /** Gives an address's permissions to another's key. */
  changePermissions(of: Party, to: Party): Promise<string>;
  /** Changes a contract outside of any block. */
  set(contract: string, name: ContractName, method: string, args: readonly unknown[]): Promise<void>;
  balanceOf(address: string, token: string | null): Promise<bigint>;
  mine(count?: number): Promise<number>;
}

export async function openTronLab(
  options: { solidBehind?: number; startMs?: number } = {},
): Promise<TronLab> {
  const { solidBehind = 2, startMs = START_MS } = options;
  const server = await startTronServer({ solidBehind, startMs });
  let parties = 0;
  let addresses = 0;

  function newParty(): Party {
    const privateKey = createHash('sha256').update(`party ${++parties}`).digest('hex');
    const hex = utils.address.toHex(utils.crypto.pkToAddress(privateKey)).toLowerCase();
    return { privateKey, hex, address: addressText(hex) };
  }
  const customer = newParty();
  await server.fund(customer.hex, 10n ** 9n * TRX);
  const deploy = async (name: ContractName, args: readonly unknown[]): Promise<string> =>
    addressText(await server.deploy(name, args, customer.hex));
  const contracts = {
    usdt: await deploy('TronTetherToken', [TOKEN_SUPPLY]),
    usdc: await deploy('BlacklistingToken', [TOKEN_SUPPLY]),
    named: await deploy('NamedToken', [6, TOKEN_SUPPLY, 'LAB']),
    spoofing: await deploy('SpoofingToken', []),
    router: await deploy('Router', []),
  };
  await server.chain.mine(2 * solidBehind + 2);

  /** Arguments of contracts are Ethereum's addresses. */
  const evm = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(evm);
    const hex = typeof value === 'string' ? addressHex(value) : null;
    return hex === null ? value : `0x${hex.slice(2)}`;
  };
  const dataOf = (name: ContractName, method: string, args: readonly unknown[]): string =>
    interfaceOf(name).encodeFunctionData(method, args.map(evm)).slice(2);

  const lab: TronLab = {
    server,
    customer,
    contracts,
    freshAddress: () => addressText(`41cafe${(++addresses).toString(16).padStart(36, '0')}`),
    async party() {
      const party = newParty();
      await server.fund(party.hex, 10_000n * TRX);
      return party;
    },
    async send({ type, value }, from = customer) {
      const { height, id, timeMs } = server.chain.tip();
      const built = buildTransaction({
        type,
        value: { owner_address: from.hex, ...value },
        refBlockBytes: (height & 0xffff).toString(16).padStart(4, '0'),
        refBlockHash: id.slice(16, 32),
        expirationMs: timeMs + LIFE_MS,
        // Two alike in one block must not be one transaction.
        timestampMs: timeMs + (server.chain.pool.length % 1_000),
        ...(type === 'TriggerSmartContract' ? { feeLimit: FEE_LIMIT } : {}),
      });
      await server.chain.take(built.sign(from.privateKey).hex);
      return built.txid;
    },
    payTrx: (to, sun, from) =>
      lab.send(
        { type: 'TransferContract', value: { to_address: addressHex(to), amount: Number(sun) } },
        from,
      ),
    trigger: (contract, { name, method, args, value = 0n }, from) =>
      lab.send(
        {
          type: 'TriggerSmartContract',
          value: {
            contract_address: addressHex(contract),
            call_value: Number(value),
            data: dataOf(name, method, args),
          },
        },
        from,
      ),
    payToken: (token, to, units, from) =>
      lab.trigger(contracts[token], { name: 'TronTetherToken', method: 'transfer', args: [to, units] }, from),
    changePermissions: (of, to) => {
      const keys = [{ address: to.hex, weight: 1 }];
      const owner = { type: 0, permission_name: 'owner', threshold: 1, keys };
      const active = {
        type: 2,
        permission_name: 'active',
        threshold: 1,
        operations: PERMISSION_OPERATIONS,
        keys,
      };
      return lab.send({ type: 'AccountPermissionUpdateContract', value: { owner, actives: [active] } }, of);
    },
    async set(contract, name, method, args) {
      await server.call(addressHex(contract)!, dataOf(name, method, args), customer.hex);
    },
    async balanceOf(address, token) {
      const hex = addressHex(address)!;
      if (token === null) return server.chain.world.machine.balance(hex);
      return BigInt(
        `0x${await server.call(addressHex(token)!, dataOf('TronTetherToken', 'balanceOf', [address]), hex)}`,
      );
    },
    async mine(count = 1) {
      await server.chain.mine(count);
      return server.chain.tip().height;
    },
  };
  return lab;
}
