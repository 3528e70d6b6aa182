/**
 * Compiles tokens.sol into tokens.artefact.json: run it (`bun tests/support/contracts/compile.ts`)
 * after a change of the source, and commit both. Its own process, because the compiler is big.
 * `--print` writes to the standard output instead, for the test that compares.
 */
import solc from 'solc';

interface CompilerOutput {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { abi: unknown; evm: { bytecode: { object: string } } }>>>
  >;
}

const FILE = 'tokens.sol';
const source = await Bun.file(new URL(FILE, import.meta.url)).text();
const input = {
  language: 'Solidity',
  sources: { [FILE]: { content: source } },
  settings: {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'paris',
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  },
};
const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input)));
const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));

const contracts = Object.entries(output.contracts[FILE]!).map(([name, { abi, evm }]) => [
  name,
  { abi, bytecode: `0x${evm.bytecode.object}` },
]);
const artefact = {
  compiler: solc.version(),
  sourceSha256: new Bun.CryptoHasher('sha256').update(source).digest('hex'),
  contracts: Object.fromEntries(contracts),
};
const text = `${JSON.stringify(artefact, null, 1)}\n`;
const destination = process.argv.includes('--print')
  ? Bun.stdout
  : Bun.file(new URL('tokens.artefact.json', import.meta.url));
await Bun.write(destination, text);
