/**
 * The JSON-RPC methods of a node that the product asks for, answered from a ledger; errors have the
 * codes of real nodes.
 */
import { accountsForm } from './accounts-form.ts';
import { type Executed, simulate } from './execute.ts';
import type { Commitment, Ledger, LedgerBlock, Svm } from './ledger.ts';
import { addressOf, bytesOfAddress, bytesOfBase64, decodeTransaction } from './wire.ts';

export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

interface Options {
  readonly commitment?: Commitment;
  readonly transactionDetails?: 'full' | 'accounts' | 'none';
  readonly maxSupportedTransactionVersion?: number;
  readonly encoding?: string;
  readonly skipPreflight?: boolean;
  readonly preflightCommitment?: Commitment;
  readonly sigVerify?: boolean;
  readonly searchTransactionHistory?: boolean;
  readonly limit?: number;
  readonly before?: string;
  readonly minContextSlot?: number;
}

const MAX_WIRE_BYTES = 1232;
const DEFAULT_PRIORITY_FEE = 0;

export interface NodeSettings {
  /** The cluster that getGenesisHash names. */
  readonly genesisHash: string;
  /**
   * Micro-lamports per compute unit that getRecentPrioritizationFees tells; a test may change it.
   */
  priorityFee?: number;
  /** The first block that the node still has, by slot. */
  firstAvailable?: number;
  /** So many of the last slots are told, and their blocks are not ready. */
  unready?: number;
  /** Answers for a method that a node would not give; undefined lets it pass. */
  instead?: (method: string) => unknown;
}

export function rpcMethods(ledger: Ledger, settings: NodeSettings) {
  const tip = ({ commitment = 'finalized' }: Options): LedgerBlock => ledger.tip(commitment);

  function inContext(options: Options, value: unknown): object {
    const { commitment = 'finalized', minContextSlot = 0 } = options;
    const slot = commitment === 'processed' ? ledger.openSlot : tip(options).slot;
    if (slot < minContextSlot) throw new RpcFailure(-32_016, 'Minimum context slot has not been reached');
    return { context: { apiVersion: '3.0.0', slot }, value };
  }

  function blockAt(slot: number, options: Options): LedgerBlock {
    if (slot > tip(options).slot) throw new RpcFailure(-32_004, `Block not available for slot ${slot}`);
    if (slot > tip(options).slot - (settings.unready ?? 0))
      throw new RpcFailure(-32_014, `Block status not yet available for slot ${slot}`);
    const first = settings.firstAvailable ?? 0;
    if (slot < first)
      throw new RpcFailure(
        -32_001,
        `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`,
      );
    const block = ledger.blocks().find((candidate) => candidate.slot === slot);
    if (block === undefined)
      throw new RpcFailure(
        -32_007,
        `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`,
      );
    return block;
  }

  function account(svm: Svm, address: string): object | null {
    const found = svm.getAccount(bytesOfAddress(address));
    if (found === null || found.lamports() === 0n) return null;
    const data = found.data();
    return {
      data: [Buffer.from(data).toString('base64'), 'base64'],
      executable: found.executable(),
      lamports: found.lamports(),
      owner: addressOf(found.owner()),
      rentEpoch: 2n ** 64n - 1n,
      space: data.length,
    };
  }

  const methods: Record<string, (first: unknown, second: unknown, options: Options) => unknown> = {
    getGenesisHash: () => settings.genesisHash,
    getSlot: (_first, _second, options) =>
      options.commitment === 'processed' ? ledger.openSlot : tip(options).slot,
    getBlockHeight: (_first, _second, options) => tip(options).height,
    getEpochInfo: (_first, _second, options) => {
      const { height: blockHeight, slot: absoluteSlot } = tip(options);
      return { absoluteSlot, blockHeight };
    },
    isBlockhashValid: (blockhash, _second, options) =>
      inContext(options, ledger.livesOn(blockhash as string, tip(options).height)),
    getFirstAvailableBlock: () => settings.firstAvailable ?? ledger.blocks()[0]!.slot,
    getLatestBlockhash: (_first, _second, options) => {
      const { blockhash, height } = tip(options);
      return inContext(options, { blockhash, lastValidBlockHeight: height + 150 });
    },
    getMinimumBalanceForRentExemption: (bytes) =>
      ledger.svm.minimumBalanceForRentExemption(BigInt(bytes as number)),
    getRecentPrioritizationFees: () => {
      const prioritizationFee = settings.priorityFee ?? DEFAULT_PRIORITY_FEE;
      return ledger
        .blocks()
        .slice(-150)
        .map(({ slot }) => ({ slot, prioritizationFee }));
    },
    getMultipleAccounts: (addresses, _second, options) => {
      const svm = ledger.stateOf(options.commitment ?? 'finalized');
      return inContext(
        options,
        (addresses as string[]).map((address) => account(svm, address)),
      );
    },
    getBlocks: (from, to, options) => {
      const highest = Math.min(typeof to === 'number' ? to : Number.POSITIVE_INFINITY, tip(options).slot);
      return slots().filter((slot) => slot >= (from as number) && slot <= highest);
    },
    getBlocksWithLimit: (from, limit, options) =>
      slots()
        .filter((slot) => slot >= (from as number) && slot <= tip(options).slot)
        .slice(0, limit as number),
    getBlock: (slot, _second, options) => {
      const block = blockAt(slot as number, options);
      return {
        blockHeight: block.height,
        blockTime: block.time,
        blockhash: block.blockhash,
        parentSlot: block.parentSlot,
        previousBlockhash: block.previousBlockhash,
        ...(options.transactionDetails === 'none'
          ? {}
          : { transactions: block.transactions.map((each) => inBlock(each, options)) }),
      };
    },
    getTransaction: (signature, _second, options) => {
      const placed = ledger.find(signature as string);
      if (placed?.block == null || placed.slot > tip(options).slot) return null;
      const { slot, time: blockTime } = placed.block;
      return { slot, blockTime, ...shown(placed.transaction, options) };
    },
    getSignatureStatuses: (signatures, _second, options) =>
      inContext({ ...options, commitment: 'processed' }, (signatures as string[]).map(statusOf)),
    getSignaturesForAddress: (address, _second, options) => signaturesFor(address as string, options),
    simulateTransaction: (encoded, _second, options) => {
      const wire = bytesOfBase64(encoded as string);
      const { blockhash } = decodeTransaction(wire);
      const result = ledger.livesOn(blockhash)
        ? simulate(ledger.svm, wire, { verify: options.sigVerify === true })
        : { err: 'BlockhashNotFound', logs: [], unitsConsumed: 0n };
      return inContext(options, { ...result, accounts: null, returnData: null });
    },
    sendTransaction: (encoded, _second, options) => send(bytesOfBase64(encoded as string), options),
  };

  const slots = (): number[] => ledger.blocks().map(({ slot }) => slot);

  function statusOf(signature: string): object | null {
    const placed = ledger.find(signature);
    if (placed === null) return null;
    const { err, status } = placed.transaction.meta;
    const final = placed.slot <= ledger.tip('finalized').slot;
    const confirmationStatus = placed.block === null ? 'processed' : final ? 'finalized' : 'confirmed';
    const confirmations = final ? null : ledger.tip('confirmed').slot - placed.slot;
    return { slot: placed.slot, confirmations, err, status, confirmationStatus };
  }

  function signaturesFor(address: string, options: Options): object[] {
    const found = ledger
      .blocks()
      .filter(({ slot }) => slot <= tip(options).slot)
      .flatMap(({ slot, time: blockTime, transactions }) =>
        transactions
          .filter(({ accounts }) => accounts.includes(address))
          .map(({ signature, meta }) => ({ signature, slot, err: meta.err, memo: null, blockTime })),
      )
      .toReversed();
    const start = found.findIndex(({ signature }) => signature === options.before) + 1;
    return found.slice(start, start + (options.limit ?? 1_000));
  }

  function send(wire: Uint8Array, options: Options): string {
    if (wire.length > MAX_WIRE_BYTES)
      throw new RpcFailure(-32_602, `base64 encoded transaction too large: ${wire.length} bytes`);
    const { signature, blockhash } = decodeTransaction(wire);
    if (options.skipPreflight !== true) {
      if (ledger.find(signature) !== null) throw preflight('AlreadyProcessed', []);
      if (!ledger.livesOn(blockhash)) throw preflight('BlockhashNotFound', []);
      const { err, logs } = simulate(ledger.svm, wire, { verify: true });
      if (err === 'SignatureFailure')
        throw new RpcFailure(-32_003, 'Transaction signature verification failure');
      if (err !== null) throw preflight(err, logs);
    }
    ledger.submit(wire);
    return signature;
  }

  return (method: string, params: readonly unknown[]): unknown => {
    const answer = methods[method];
    if (answer === undefined) throw new RpcFailure(-32_601, 'Method not found');
    const invented = settings.instead?.(method);
    if (invented !== undefined) return invented;
    const options = params.findLast((param) => typeof param === 'object' && !Array.isArray(param)) ?? {};
    return answer(params[0], params[1], options as Options);
  };
}

function shown({ version, message, signatures, meta }: Executed, options: Options) {
  if (version !== 'legacy' && !((options.maxSupportedTransactionVersion ?? -1) >= version))
    throw new RpcFailure(
      -32_015,
      `Transaction version (${version}) is not supported by the requesting client. ` +
        `Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  return { transaction: { message, signatures }, meta, version };
}

function inBlock(transaction: Executed, options: Options): object {
  const full = shown(transaction, options);
  return options.transactionDetails === 'accounts' ? accountsForm(full) : full;
}

function preflight(err: unknown, logs: readonly string[]): RpcFailure {
  const text = typeof err === 'string' ? err : JSON.stringify(err);
  return new RpcFailure(-32_002, `Transaction simulation failed: ${text}`, { err, logs, accounts: null });
}
