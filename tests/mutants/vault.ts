/** Bugs in keys, signatures and their log. */
import { bugs, type Mutant } from './mutant.ts';

const SIGNER_TESTS = [
  'tests/adapters/signer/keystore-signer.test.ts',
  'tests/adapters/signer/batch-signing.test.ts',
  'tests/adapters/signer/independent-nonces.test.ts',
  'tests/adapters/signer/delegation-orders.test.ts',
  'tests/adapters/signer/signer-process.test.ts',
];
const LOG_TESTS = [
  'tests/adapters/signer/signing-log.test.ts',
  'tests/adapters/signer/batch-signing.test.ts',
];
const SOCKET_TESTS = [
  'tests/adapters/signer/signer-wire.test.ts',
  'tests/adapters/signer/signer-socket.test.ts',
  'tests/adapters/signer/signer-process.test.ts',
];
const KEYSTORE_TESTS = [
  'tests/adapters/signer/keystore.test.ts',
  'tests/adapters/signer/keystore-families.test.ts',
  'tests/scripts/wallet-seed.test.ts',
];

export const VAULT_MUTANTS: readonly Mutant[] = [
  ...bugs('src/adapters/signer/keystore-signer.ts', SIGNER_TESTS, [
    ['if (policy.halt) throw', 'if (false) throw'],
    ['if (!asset || asset.chain !== order.chain)', 'if (!asset)'],
    ['checkPayments(order);', ''],
    ['await checkKeys(order, asset, family);', ''],
    ['await checkStored(parts.records, order, family);', ''],
    ['wallet: normalized(family, order.wallet),', 'wallet: order.wallet,'],
    ['const stands = await log.append(entry, allow, order.replaces);', 'const stands = entry;'],
    ['for (const payment of order.payments) {', 'for (const payment of order.payments.slice(0, 1)) {'],
    ["order.purpose === 'payout' ? referenceId : null", 'null'],
    ['if (error instanceof SigningLogUnusable || error instanceof', 'if (error instanceof'],
    ['close: () => log.close(),', 'close: async () => undefined,'],
  ]),
  ...bugs('src/adapters/signer/order-rules.ts', SIGNER_TESTS, [
    ["if (key.role !== (purpose === 'sweep' ? 'deposit' : 'hot'))", "if (key.role === 'change')"],
    ["if (purpose === 'gap' && !voids)", 'if (false)'],
    ['if ((await derivedAddress(family, key)) !== family.normalize(wallet))', 'if (false)'],
    ["if (purpose !== 'sweep' && asset.type !== 'native')", 'if (false)'],
    ["if (recipient !== (await derivedAddress(family, { role: 'hot' })))", 'if (false)'],
    [
      "toKey?.role !== 'deposit' || recipient !== (await derivedAddress(family, toKey))",
      "toKey?.role !== 'deposit'",
    ],
    [
      'delegates !== delegationOf(purpose).delegates',
      'delegates !== undefined && !delegationOf(purpose).delegates',
    ],
    [
      'transfers.size < payments.length || references.size < payments.length',
      'transfers.size < payments.length',
    ],
    ['if (!policy.purposes.has(order.purpose))', 'if (false)'],
    ['fee.maxFeeUnits > ceiling', 'fee.maxFeeUnits >= ceiling'],
    ['if (units <= most) continue;', 'if (units < most) continue;'],
    ['if (policy.resign.has(referenceId)) continue;', 'continue;'],
    ['if (history.isOfAnother(entry)) {', 'if (false) {'],
    ['if (rival !== null)', 'if (false)'],
    ['if (most === null || !history.spendsMore(entry)) return;', 'if (most === null) return;'],
    ['if (spent <= most) continue;', 'if (spent - units <= most) continue;'],
    ["if (records.stopped) throw passing('signing is stopped');", ''],
    ['transfer.units === payment.units &&', ''],
    ['isSameAddress(family, transfer.to, payment.to);', 'true;'],
    ["if (transfer.status !== 'allocated' && transfer.status !== 'signed')", 'if (false)'],
    ['if (transfer.voided !== order.voids)', 'if (false)'],
    ['payout === null || payout.sandbox', 'payout === null'],
    ["if (payout.status !== 'pending' && payout.status !== 'processing')", 'if (false)'],
    ["if (payout.held !== null) throw passing('the payout is held');", ''],
    ['payout.sentUnits === units &&', ''],
  ]),
  ...bugs(
    'src/adapters/signer/signing-history.ts',
    [...SIGNER_TESTS, ...LOG_TESTS],
    [
      ['if (entry.voids || known?.paying) return;', 'if (known?.paying) return;'],
      ['const transfer = known?.transfer ?? transferOf(entry);', 'const transfer = transferOf(entry);'],
      ['const paying = known?.paying || !entry.voids;', 'const paying = !entry.voids;'],
      ['this.#unusedFrom.set(wallet, entry.nonce + 1n)', 'this.#unusedFrom.set(wallet, entry.nonce)'],
      ['until <= entry.at.getTime() || this.isNewest(entry)', 'until <= entry.at.getTime()'],
      ['if (until > entry.at.getTime()) break;', ''],
      ['atMs > since', 'atMs < since'],
      ['asset === subject.asset && forwarded', 'forwarded'],
      ["return purpose !== 'sweep' && purpose", "return purpose === 'sweep' && purpose"],
      ['return told || this.isNewest(entry) ? null : known.line;', 'return told ? null : known.line;'],
      ['inputs[0] ?? null, ...paid(payment)]', 'null, ...paid(payment)]'],
      ['JSON.stringify([purpose, asset, inputs[0] ?? null,', 'JSON.stringify([purpose, asset, null,'],
      ['const DAY_MS = 24 * 60 * 60 * 1000;', 'const DAY_MS = 12 * 60 * 60 * 1000;'],
    ],
  ),
  ...bugs(
    'src/adapters/signer/signing-log.ts',
    [...LOG_TESTS, ...SIGNER_TESTS],
    [
      ['if (!reader.history.isNewest(entry)) await reader.write(entry);', 'await reader.write(entry);'],
      ['allow(reader.history);\n        if', 'if'],
      ['await reader.catchUp();\n        const', 'const'],
      ['constants.O_CREAT, 0o600)', 'constants.O_CREAT, 0o644)'],
      ['recursive: true, mode: 0o700', 'recursive: true, mode: 0o755'],
      ['const read = readLine(line, head);', 'const read = readLine(line, null);'],
      ['if (named.ino !== opened.ino || named.dev !== opened.dev)', 'if (false)'],
      ["if (opened.size < position) throw new BrokenLog('it has become shorter');", ''],
      ['if (rest.length > 0) await setAside(rest);', ''],
      ['await file.truncate(position);', ''],
      ['const mine = last.then(() => lock.holding(LOCK_TIMEOUT_MS, work));', 'const mine = last.then(work);'],
      [
        'await file.sync();\n    take(line);',
        'take(line);',
        'only a machine that loses power between write and disk tells; no test can take its power',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/signer/signing-entry.ts',
    [...LOG_TESTS, 'tests/adapters/signer/independent-nonces.test.ts'],
    [
      ['return line.before === before ? { entry }', 'return line.before !== FIRST ? { entry }'],
      ['voids: line.voids,', 'voids: false,'],
      ['resendable: line.free === undefined ? null : resendableEntry(line.free),', 'resendable: null,'],
      ['alive_until: aliveUntil.toISOString()', 'alive_until: new Date(0).toISOString()'],
    ],
  ),
  ...bugs(
    'src/adapters/signer/verify-signing-log.ts',
    ['tests/adapters/signer/signing-log.test.ts'],
    [
      ['if (broken !== null) return;', ''],
      ['head = hashOf(line);', ''],
      ['tornBytes: rest.length', 'tornBytes: 0'],
    ],
  ),
  ...bugs(
    'src/adapters/shared/files/log-lines.ts',
    [...LOG_TESTS, 'tests/adapters/signer/independent-nonces.test.ts'],
    [
      ['Buffer.concat([rest, piece.subarray(0, bytesRead)])', 'Buffer.from(piece.subarray(0, bytesRead))'],
      ['rest = text;', 'rest = Buffer.alloc(0);'],
    ],
  ),
  ...bugs(
    'src/adapters/shared/files/file-lock.ts',
    ['tests/adapters/signer/signing-log.test.ts', 'tests/adapters/signer/signer-socket.test.ts'],
    [
      ["closeSync(openSync(path, 'a', 0o600));", ''],
      ["database.run('begin exclusive');", "database.run('begin');"],
    ],
  ),
  ...bugs('src/domain/catalog/family.ts', KEYSTORE_TESTS, [
    ["path: \"m/44'/60'/0'\"", "path: \"m/44'/60'/1'\""],
    ["path: \"m/84'/2'/0'\"", "path: \"m/84'/0'/0'\""],
    ["path: \"m/44'/195'/0'\"", "path: \"m/44'/60'/0'\""],
    ["path: \"m/44'/501'/0'/0'\"", "path: \"m/44'/501'/0'\""],
    ['place: 6', 'place: 8'],
  ]),
  ...bugs('src/adapters/signer/keystore.ts', KEYSTORE_TESTS, [
    ['if (!options.createIfMissing) throw missing(path);', ''],
    ['if (options.masterKey.length < 32)', 'if (options.masterKey.length < 16)'],
    [
      '{ ...(await publicKeysOf(words)), ...opened.public }',
      'await publicKeysOf(words)',
      'the seal says that what is there belongs to the words',
    ],
    ['if (!complete && options.createIfMissing)', 'if (!complete)'],
    [
      'createIfMissing) throw missing(path);\n    await mkdir(options.directory, { recursive: true, mode: 0o700 });',
      'createIfMissing) throw missing(path);\n    await mkdir(options.directory, { recursive: true });',
    ],
    ['Mnemonic.fromEntropy(randomBytes(32))', 'Mnemonic.fromEntropy(randomBytes(16))'],
    ['Mnemonic.fromEntropy(randomBytes(32))', 'Mnemonic.fromEntropy(new Uint8Array(32))'],
  ]),
  ...bugs('src/adapters/signer/keystore-file.ts', KEYSTORE_TESTS, [
    ['key.xpub : key.publicKey;', "key.xpub : '';"],
  ]),
  ...bugs('src/adapters/signer/keystore-seal.ts', KEYSTORE_TESTS, [
    ['if (!publicPartIsOurs(file, keys.public)) throw altered();', ''],
    ['.setAAD(boundToWords(file.public))', '.setAAD(Buffer.alloc(0))'],
    ["if (!equal(Buffer.from(file.keyCheck, 'hex'), keys.check))", 'if (false)'],
    ['return missingFamilies(file.public).length === LATER_FAMILIES.length;', 'return true;'],
    ["public: key('quittance-keystore-public-v1')", "public: key('quittance-keystore-public-v2')"],
  ]),
  ...bugs(
    'src/adapters/shared/files/atomic-file.ts',
    [...KEYSTORE_TESTS, 'tests/journeys/restore/restored-addresses.test.ts'],
    [
      ["await open(temporary, 'wx', 0o600)", "await open(temporary, 'wx', 0o644)"],
      ['await link(temporary, path);', 'await rename(temporary, path);'],
      ['finally {\n    await unlink(temporary);\n  }', 'finally {\n  }'],
      ['const target = await realpath(path);', 'const target = path;'],
    ],
  ),
  ...bugs(
    'src/adapters/signer/mnemonic.ts',
    ['tests/scripts/wallet-seed.test.ts'],
    [
      ['if (!COUNTS.includes(words.length))', 'if (words.length < 12)'],
      ['if (!Mnemonic.isValidMnemonic(phrase))', 'if (false)'],
      ['.toLowerCase()', ''],
    ],
  ),
  ...bugs(
    'src/adapters/signer/key-fingerprints.ts',
    ['tests/adapters/signer/wallet-keys.test.ts', 'tests/journeys/treasury/wallet-and-database.test.ts'],
    [
      ['const key = keys[family];', 'const key = keys.evm;'],
      ['family, path, key].join', 'family, path].join'],
    ],
  ),
  ...bugs(
    'src/adapters/signer/issued-indexes.ts',
    ['tests/adapters/signer/issued-indexes.test.ts'],
    [
      ['index > (marks?.[deriver] ?? -1)', 'true'],
      [
        'JSON.stringify({ ...marks, ...Object.fromEntries(higher) }',
        'JSON.stringify({ ...Object.fromEntries(higher) }',
      ],
      ['if (Value.Check(Marks, marks)) return marks;', 'return marks as Marks;'],
    ],
  ),
  ...bugs(
    'src/adapters/secrets/aes-vault.ts',
    ['tests/adapters/secrets/aes-vault.test.ts'],
    [
      [".setAAD(Buffer.from(context, 'utf8'))\n        .setAuthTag", '.setAuthTag'],
      ['const nonce = randomBytes(NONCE_BYTES);', 'const nonce = Buffer.alloc(NONCE_BYTES);'],
      ["'quittance/vault/lookup/v1'", "'quittance/vault/seal/v1'"],
      ["bytes.toString('base64url') !== text", 'false'],
      ['if (masterKey.length < KEY_BYTES)', 'if (masterKey.length < KEY_BYTES / 2)'],
    ],
  ),
  ...bugs('src/adapters/signer/signer-wire.ts', SOCKET_TESTS, [
    ['const closed = { additionalProperties: false };', 'const closed = { additionalProperties: true };'],
    ['validUntil: order.validUntil?.toString() ?? null,', 'validUntil: null,'],
    ['replaces: order.replaces,', 'replaces: null,'],
    ['...(order.delegates === undefined ? {} : { lends: order.delegates }),', ''],
    ['unusedFrom: wire.unusedFrom === null ? null : BigInt(wire.unusedFrom)', 'unusedFrom: null'],
    ['if (again === undefined) return signed;', 'return signed;'],
  ]),
  ...bugs('src/adapters/signer/signer-server.ts', SOCKET_TESTS, [
    ['const OWNER_ONLY = 0o177;', 'const OWNER_ONLY = 0o117;'],
    ['if (!file.isSocket()) throw', 'if (false) throw'],
    ["if (probe === 'answers') throw", 'if (false) throw'],
    ['const timer = setTimeout(() => reader.stop(), idleMs);', 'const timer = setTimeout(() => {}, idleMs);'],
    ["reason: 'the signer failed: its own log says why'", 'reason: String(error)'],
    ['if (closing || connections.size >= CONNECTIONS_MAX) {', 'if (closing) {'],
    ['for (const reader of connections.keys()) reader.stop();', ''],
  ]),
  ...bugs('src/adapters/signer/socket-lines.ts', SOCKET_TESTS, [
    ['if (end > bytesMax || (end === -1 && held.length >= bytesMax)) return null;', ''],
    ['held = held.subarray(end + 1);', 'held = Buffer.alloc(0);'],
  ]),
  ...bugs('src/adapters/signer/socket-signer.ts', SOCKET_TESTS, [
    [
      "if (answer.kind === 'refused') throw new SigningRefused(answer.reason, answer);",
      "if (answer.kind === 'refused') throw new SignerUnavailable(answer.reason);",
    ],
    ['const timer = setTimeout(() => fail(`did not', 'const timer = setTimeout(() => void (`did not'],
  ]),
  ...bugs(
    'src/adapters/signer/derived-addresses.ts',
    ['tests/adapters/signer/keystore-signer.test.ts', 'tests/adapters/signer/signer-process.test.ts'],
    [
      ['count <= DERIVED_AT_ONCE', 'count <= 2 * DERIVED_AT_ONCE'],
      ['index < from + count', 'index <= from + count'],
    ],
  ),
  ...bugs('src/adapters/signer/policy-file.ts', SIGNER_TESTS, [
    ['if (known?.version === version) return known.policy;', 'if (known !== null) return known.policy;'],
  ]),
  ...bugs(
    'src/adapters/system/master-key.ts',
    ['tests/adapters/system/master-key.test.ts'],
    [
      [
        "{ mode: 0o600, flag: 'wx', flush: true }",
        "{ mode: 0o644, flag: 'wx', flush: true }",
        'whoever reads it sets the mode, so that only the moment between is open',
      ],
      [
        'linkSync(draft, path);',
        'writeFileSync(path, readFileSync(draft));',
        'only two first starts in the same microseconds tell',
      ],
      ['if (!/^[0-9a-f]{64}$/.test(key)) {', 'if (false) {'],
      ['if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);', ''],
    ],
  ),
];
