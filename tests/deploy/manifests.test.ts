/**
 * What a cluster and a Compose file take on trust, held against the files themselves and the
 * service: names that lead to another manifest, a volume, a port, a path or a network.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemRoutes } from '../../src/adapters/http/system/system.ts';

const ROOT = join(import.meta.dir, '..', '..');
const parse = (path: string): unknown => Bun.YAML.parse(readFileSync(join(ROOT, path), 'utf8'));

type Tree = Readonly<Record<string, unknown>>;
interface Named {
  readonly name: string;
}
interface Container extends Named {
  readonly envFrom?: readonly Readonly<Record<'configMapRef' | 'secretRef', Named | undefined>>[];
  readonly ports?: readonly (Named & { readonly containerPort: number })[];
  readonly volumeMounts: readonly Named[];
}
interface Volume extends Named {
  readonly secret?: { readonly secretName: string };
  readonly configMap?: Named;
}
interface Pod {
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
}
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Named;
  readonly spec?: Tree;
}

const manifests = [...new Bun.Glob('*.yaml').scanSync(join(ROOT, 'deploy', 'kubernetes'))].flatMap((file) => {
  const parsed = parse(`deploy/kubernetes/${file}`);
  return (Array.isArray(parsed) ? parsed : [parsed]) as readonly Manifest[];
});
const named = (kind: string) =>
  new Set(manifests.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name));

/** Every value under that key, wherever it is. */
function under(tree: unknown, key: string): readonly unknown[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...under(value, key),
  ]);
}

/** The pods of a StatefulSet or of a job, with what is claimed for them. */
const pods = manifests.flatMap((manifest) =>
  under(manifest.spec, 'template')
    .filter((template) => under(template, 'containers').length > 0)
    .filter((template) => (template as { spec?: { containers?: unknown } }).spec?.containers !== undefined)
    .map((template) => {
      const { metadata, spec } = template as { metadata: { labels: Tree }; spec: Pod };
      const claims = (manifest.spec?.volumeClaimTemplates ?? []) as readonly { metadata: Named }[];
      return { of: manifest.metadata.name, labels: metadata.labels, pod: spec, claims };
    }),
);
const containersOf = ({ initContainers = [], containers }: Pod) => [...initContainers, ...containers];
/** Made from the worker's keystore.json (deploy/kubernetes/api.yaml). */
const MADE_BY_HAND = new Set(['quittance-keystore']);

describe('the manifests of Kubernetes', () => {
  test('are of versions of the API that are stable', () => {
    expect(pods.map(({ of }) => of).toSorted()).toEqual([
      ...['quittance-api', 'quittance-reconcile', 'quittance-worker'],
    ]);
    for (const { apiVersion, kind } of manifests)
      expect([kind, apiVersion]).toEqual([kind, STABLE[kind] ?? '']);
  });

  test('mount volumes that their pod has, of files and secrets that there are', () => {
    for (const { of, pod, claims } of pods) {
      const { volumes = [] } = pod;
      const there = new Set([
        ...volumes.map(({ name }) => name),
        ...claims.map(({ metadata }) => metadata.name),
      ]);
      const mounted = new Set(containersOf(pod).flatMap((one) => one.volumeMounts.map(({ name }) => name)));
      expect([of, [...mounted].toSorted()]).toEqual([of, [...there].toSorted()]);
      for (const { secret, configMap } of volumes) {
        if (secret && !MADE_BY_HAND.has(secret.secretName))
          expect([of, secret.secretName, named('Secret').has(secret.secretName)]).toEqual([
            ...[of, secret.secretName, true],
          ]);
        if (configMap)
          expect([of, configMap.name, named('ConfigMap').has(configMap.name)]).toEqual([
            of,
            configMap.name,
            true,
          ]);
      }
    }
  });

  test('take their environment from maps and secrets that there are', () => {
    const refs = pods.flatMap(({ pod }) => containersOf(pod).flatMap(({ envFrom = [] }) => envFrom));
    expect(refs.length).toBeGreaterThan(5);
    for (const { configMapRef, secretRef } of refs) {
      if (configMapRef) expect(named('ConfigMap')).toContain(configMapRef.name);
      if (secretRef) expect(named('Secret')).toContain(secretRef.name);
    }
  });

  test('ask ports that the container names, and paths that the service has', () => {
    const routes = systemRoutes({
      version: '',
      ready: async () => null as never,
      metrics: (() => undefined) as never,
    });
    const paths = new Set(routes.map(({ path }) => path));
    const probes = under(pods, 'httpGet') as readonly { readonly path: string; readonly port: string }[];
    expect(probes).toHaveLength(6);
    for (const { path, port } of probes) expect([path, port, paths.has(path)]).toEqual([path, 'http', true]);
    const served = pods.flatMap(({ pod }) => containersOf(pod).flatMap(({ ports = [] }) => ports));
    for (const { name, containerPort } of served) expect([name, containerPort]).toEqual(['http', 3000]);
    for (const path of (under(manifests, 'path') as readonly string[]).filter((one) => one !== '/'))
      expect([path, paths.has(path)]).toEqual([path, true]);
  });

  test('lead from a name to a service, and from a service to pods, or to none on purpose', () => {
    for (const backend of under(manifests, 'backend') as readonly { service: Named }[])
      expect(named('Service')).toContain(backend.service.name);
    for (const set of under(manifests, 'serviceName') as readonly string[])
      expect(named('Service')).toContain(set);
    const fits = (selector: Tree) =>
      pods.filter(({ labels }) => Object.entries(selector).every(([key, value]) => labels[key] === value));
    const services = manifests.filter(({ kind }) => kind === 'Service');
    for (const { metadata, spec } of services)
      expect([metadata.name, fits(spec?.selector as Tree).map(({ of }) => of)]).toEqual([
        ...[metadata.name, metadata.name === 'quittance-nowhere' ? [] : [metadata.name]],
      ]);
    for (const selector of under(manifests, 'matchLabels') as readonly Tree[])
      if ('app' in selector) expect(fits(selector).length).toBeGreaterThan(0);
  });
});

const STABLE: Readonly<Record<string, string>> = {
  ...{ StatefulSet: 'apps/v1', Service: 'v1', ConfigMap: 'v1', Secret: 'v1', CronJob: 'batch/v1' },
  ...{
    PodDisruptionBudget: 'policy/v1',
    Ingress: 'networking.k8s.io/v1',
    NetworkPolicy: 'networking.k8s.io/v1',
  },
};

interface ComposeService {
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly depends_on?: readonly string[] | Tree;
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks?: Tree;
  readonly volumes?: Tree;
}

test.each(['compose.yaml', 'deploy/compose/compose.yaml'])('%s names only what it has', (path) => {
  const { services, networks = {}, volumes = {} } = parse(path) as Compose;
  const used = new Set<string>();
  for (const [name, service] of Object.entries(services)) {
    const { depends_on: needs = [], networks: joined = [], volumes: mounted = [] } = service;
    for (const needed of Array.isArray(needs) ? needs : Object.keys(needs))
      expect([name, needed, needed in services]).toEqual([name, needed, true]);
    for (const network of joined) expect([name, network, network in networks]).toEqual([name, network, true]);
    for (const source of mounted.map((one) => one.split(':')[0] ?? '')) {
      if (!source.startsWith('.')) used.add(source);
      // The operator writes it; the top of the file says so.
      else if (!/config\.json|policy\.json/.test(source))
        expect(() => readFileSync(join(ROOT, path, '..', source))).not.toThrow();
    }
  }
  expect([...used].toSorted()).toEqual(Object.keys(volumes).toSorted());
});
