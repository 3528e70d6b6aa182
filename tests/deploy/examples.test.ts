/**
 * The examples of deploy name only variables of the configuration, agree on their ports, and every
 * path that they mount is explained.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config.ts';
import { VARIABLES } from '../../src/config/variables.ts';
import { BUILT_IN_ASSETS } from '../../src/domain/catalog/asset.ts';
import { CHAINS } from '../../src/domain/catalog/chain.ts';
import { FIAT_CURRENCIES } from '../../src/domain/catalog/fiat.ts';

const ROOT = join(import.meta.dir, '..', '..');
const DEPLOY = join(ROOT, 'deploy');
const read = (path: string) => readFileSync(join(DEPLOY, path), 'utf8');
const files = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: DEPLOY, dot: true })].toSorted();
/** Of a file of one document or of several. */
const documents = (path: string): readonly unknown[] => {
  const parsed = Bun.YAML.parse(read(path));
  return Array.isArray(parsed) ? parsed : [parsed];
};

type Values = Readonly<Record<string, string>>;
interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly mountPath: string; readonly name: string }[];
  readonly securityContext: unknown;
  readonly livenessProbe?: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string; readonly port: string } };
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Values;
  readonly stringData?: Values;
  readonly spec?: unknown;
}
interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment?: Values;
        readonly volumes?: readonly string[];
        readonly networks?: readonly string[];
        readonly ports?: readonly string[];
      }
    >
  >;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

/** Programs of others: their variables, by the file that has them. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  'compose/compose.yaml': ['DOMAIN', 'QUITTANCE_UPSTREAM', 'DATABASE_ADDRESS'],
  // For Compose itself, which hands them on under other names.
  'compose/.env.example': ['DOMAIN', 'DATABASE_ADDRESS', 'SIGNER_MASTER_KEY'],
  'systemd/backup.env.example': ['PGHOST', 'PGPORT', 'PGDATABASE', 'PGUSER', 'PGPASSWORD'],
};

const manifests = files('kubernetes/*.yaml').flatMap((file) =>
  documents(file).map((manifest) => ({ file, manifest: manifest as Manifest })),
);
/** Every container of a manifest, wherever it is. */
function containersOf(within: unknown): readonly Container[] {
  if (typeof within !== 'object' || within === null) return [];
  return Object.entries(within).flatMap(([key, value]) =>
    /^(?:initContainers|containers)$/.test(key) ? (value as Container[]) : containersOf(value),
  );
}
const compose = documents('compose/compose.yaml')[0] as Compose;
const composeAtTheTop = Bun.YAML.parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as Compose;

/** By file: the variables that it sets. */
function variablesOf(file: string): readonly string[] {
  if (file.startsWith('kubernetes/'))
    return manifests
      .filter((one) => one.file === file)
      .flatMap(({ manifest }) => [
        ...Object.keys(manifest.data ?? {}).filter((name) => !name.includes('.')),
        ...Object.keys(manifest.stringData ?? {}),
        ...containersOf(manifest).flatMap(({ env = [] }) => env.map(({ name }) => name)),
      ]);
  if (file === 'compose/compose.yaml')
    return Object.values(compose.services).flatMap(({ environment = {} }) => Object.keys(environment));
  if (file.endsWith('.service'))
    return [...read(file).matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').map((pair) => pair.split('=')[0] ?? ''),
    );
  return [...read(file).matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = '']) => name);
}

const WITH_VARIABLES = [
  ...files('kubernetes/*.yaml'),
  ...files('systemd/*.{service,example}'),
  ...files('compose/{compose.yaml,.env.example}'),
];

describe('the examples', () => {
  test.each(WITH_VARIABLES)('%s sets only variables that there are', (file) => {
    const known = new Set([...Object.keys(VARIABLES), ...(FOREIGN[file] ?? [])]);
    expect(variablesOf(file).filter((name) => !known.has(name))).toEqual([]);
  });

  test('take every variable that Compose hands on from its example, or have a default', () => {
    const used = [...read('compose/compose.yaml').matchAll(/\$\{([A-Z_]+)(:-)?/g)];
    const given = new Set(
      [...read('compose/.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name),
    );
    expect(used.length).toBeGreaterThan(8);
    for (const [, name] of used) expect([name, given.has(name)]).toEqual([name, true]);
  });

  test('are configurations that the service starts with, once the keys are filled in', () => {
    const KEY = '11'.repeat(32);
    const given = Object.fromEntries(
      [...read('compose/.env.example').matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
        name,
        value === '' ? KEY : value,
      ]),
    );
    const filled = (text: string) =>
      text.replaceAll(/\$\{([A-Z_]+)(?::[-?]([^}]*))?\}/g, (_, name: string, or = '') => given[name] ?? or);
    const environments = ['api', 'worker'].map((service) => compose.services[service]?.environment ?? {});
    const units = Object.fromEntries(
      [...read('systemd/quittance.env.example').matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [
        name,
        value === '' ? KEY : value,
      ]),
    );
    const { data = {} } = manifests.find(({ manifest }) => manifest.kind === 'ConfigMap')?.manifest ?? {};
    const secret = manifests.find(({ manifest }) => manifest.kind === 'Secret')?.manifest.stringData ?? {};
    for (const env of [...environments, units, { ...data, ...secret, MASTER_KEY: KEY, MAIL_FROM: '' }]) {
      const values = Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, filled(String(value))]),
      );
      const result = loadConfig(
        values,
        { read: () => '{}' },
        {
          chains: CHAINS.map(({ name }) => name),
          assetKeys: BUILT_IN_ASSETS.map(({ key }) => key),
          fiats: FIAT_CURRENCIES,
        },
      );
      expect(result.ok ? [] : result.faults).toEqual([]);
    }
  });

  test('agree on the port of the service', () => {
    const port = '3000';
    expect(VARIABLES.PORT.without).toBe(port);
    expect(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).toMatch(new RegExp(`^EXPOSE ${port}$`, 'm'));
    expect(composeAtTheTop.services.quittance?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(compose.services.caddy?.environment?.QUITTANCE_UPSTREAM).toBe(`api:${port}`);
    expect(read('caddy/Caddyfile')).toContain(`{$QUITTANCE_UPSTREAM:127.0.0.1:${port}}`);
    for (const target of ['api', 'worker'])
      expect(read('prometheus/prometheus.yaml')).toContain(`"${target}:${port}"`);
    const ports = [...files('kubernetes/*.yaml')].flatMap((file) => [
      ...read(file).matchAll(/(?:\bport|containerPort|number): "?(\d+)"?/g),
    ]);
    expect(ports.length).toBeGreaterThan(8);
    expect(new Set(ports.map(([, number]) => number))).toEqual(new Set([port]));
    // On one machine the worker needs another one than the API.
    expect(read('systemd/quittance-worker.service')).toContain('PORT=3001');
    for (const other of ['quittance', 'quittance-api'])
      expect(read(`systemd/${other}.service`)).not.toContain('PORT=');
  });

  test('mount and read only paths that the docs explain', () => {
    const page = readFileSync(join(ROOT, 'docs', 'operations', 'deployment.md'), 'utf8');
    const explained = new Set([...page.matchAll(/`(\/[^`]+)`/g)].map(([, path = '']) => path));
    const mounted = [
      ...manifests.flatMap(({ manifest }) =>
        containersOf(manifest).flatMap(({ volumeMounts }) => volumeMounts.map(({ mountPath }) => mountPath)),
      ),
      ...Object.values(compose.services).flatMap(({ volumes = [] }) =>
        volumes.map((one) => one.split(':')[1] ?? ''),
      ),
      ...files('systemd/*.{service,example}').flatMap((file) =>
        [...read(file).matchAll(/\/(?:etc|var|run|srv)\/[\w./-]+/g)].map(([path]) => path),
      ),
      ...files('kubernetes/*.yaml').flatMap((file) =>
        [...read(file).matchAll(/value: (\/[\w./-]+)/g)].map(([, path = '']) => path),
      ),
    ];
    const isExplained = (path: string): boolean =>
      explained.has(path) ||
      [...explained].some((one) => one.startsWith(`${path}/`)) ||
      (path.length > 1 && isExplained(path.slice(0, Math.max(1, path.lastIndexOf('/')))));
    expect(mounted.length).toBeGreaterThan(20);
    expect([...new Set(mounted)].filter((path) => !isExplained(path))).toEqual([]);
  });

  test('run files that exist', () => {
    for (const file of files('systemd/*.service'))
      for (const [, path = ''] of read(file).matchAll(/\/srv\/quittance\/([\w./-]+)/g))
        expect([file, path, existsInRepository(path)]).toEqual([file, path, true]);
    for (const file of [...files('kubernetes/*.yaml'), 'compose/compose.yaml'])
      for (const [, path = ''] of read(file).matchAll(/"(scripts\/[\w./-]+)"/g))
        expect([file, path, existsInRepository(path)]).toEqual([file, path, true]);
  });
});

describe('the keys stay apart', () => {
  test('in Compose: the signer reaches the forwarder alone, and only it gets its master key', () => {
    const { signer, forward, ...others } = compose.services;
    expect(signer?.networks).toEqual(['vault']);
    expect(compose.networks.vault).toEqual({ internal: true });
    expect(forward?.networks?.toSorted()).toEqual(['out', 'vault']);
    for (const [name, { networks = [], environment = {}, volumes = [] }] of Object.entries(others)) {
      expect([name, networks.includes('vault')]).toEqual([name, false]);
      expect([name, JSON.stringify(environment).includes('SIGNER_MASTER_KEY')]).toEqual([name, false]);
      const keys = volumes.filter((volume) => volume.startsWith('keys:'));
      expect([name, keys]).toEqual([name, name === 'copy-keystore' ? ['keys:/keys:ro'] : []]);
    }
  });

  test('in Kubernetes: only the signer writes its volume and gets its secret', () => {
    for (const { manifest } of manifests)
      for (const { name, volumeMounts, ...container } of containersOf(manifest)) {
        const secrets = JSON.stringify(container).includes('"quittance-signer"');
        expect([manifest.metadata.name, name, secrets]).toEqual([
          manifest.metadata.name,
          name,
          name === 'signer',
        ]);
        const keys = volumeMounts.filter((mount) => mount.name === 'keys');
        if (name !== 'signer') for (const mount of keys) expect(mount).toMatchObject({ readOnly: true });
      }
  });

  test('under systemd: the other services cannot read its folder', () => {
    for (const name of ['api', 'worker', 'reconcile'])
      expect(read(`systemd/quittance-${name}.service`)).toContain(
        'InaccessiblePaths=-/var/lib/quittance-signer',
      );
    expect(read('systemd/quittance-signer.service')).toContain('IPAddressDeny=any');
    expect(read('systemd/quittance-signer.service')).not.toContain('quittance.env');
  });
});

describe('what runs is closed', () => {
  test('every unit is hardened', () => {
    for (const file of files('systemd/*.service'))
      for (const line of [
        ...[
          'User=quittance',
          'NoNewPrivileges=yes',
          'ProtectSystem=strict',
          'ProtectHome=yes',
          'PrivateTmp=yes',
        ],
        ...['PrivateDevices=yes', 'CapabilityBoundingSet=', 'SystemCallFilter=@system-service', 'UMask=0077'],
      ])
        expect([file, line, read(file).split('\n').includes(line)]).toEqual([file, line, true]);
  });

  test('every container runs as nobody, with its probes', () => {
    const closed = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    };
    const all = manifests.flatMap(({ manifest }) => containersOf(manifest));
    expect(all.length).toBe(7);
    for (const { securityContext } of all) expect(securityContext).toEqual(closed);
    const serving = all.filter(({ ports }) => ports !== undefined);
    expect(serving.map(({ name }) => name).toSorted()).toEqual(['api', 'worker']);
    for (const { livenessProbe, readinessProbe } of serving)
      expect([livenessProbe?.httpGet.path, readinessProbe?.httpGet.path]).toEqual(['/health', '/ready']);
    const pods = manifests.filter(({ manifest }) => /^(?:StatefulSet|CronJob)$/.test(manifest.kind));
    for (const { manifest } of pods) {
      const text = JSON.stringify(manifest);
      for (const part of ['"runAsNonRoot":true', '"automountServiceAccountToken":false', '"RuntimeDefault"'])
        expect([manifest.metadata.name, part, text.includes(part)]).toEqual([
          manifest.metadata.name,
          part,
          true,
        ]);
    }
  });
});

function existsInRepository(path: string): boolean {
  try {
    readFileSync(join(ROOT, path));
    return true;
  } catch {
    return false;
  }
}
