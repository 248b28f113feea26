import { describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { createTemporaryFolder, runCommand, startTestServer } from '../fixtures/server.ts';

const repository = join(import.meta.dir, '../..');
const folder = join(repository, 'deploy');
const files = [...new Bun.Glob('**/*.yaml').scanSync(folder)].sort();
/** Values of variables without a default. */
const given: Readonly<Record<string, string>> = {
  LECTERN_BASE_URL: 'https://audio.example.org',
  LECTERN_SOUND: 's3://lectern?endpoint=https://s3.example.org&region=eu-central-1',
};
const secrets: Readonly<Record<string, string>> = {
  database: 'postgres://lectern:secret@postgres/lectern',
  ...{ s3_key: 'key', s3_secret: 'secret' },
};

interface Container {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
}
type Document = Readonly<Record<string, unknown>> & { readonly kind?: string };

function readDocuments(file: string): Document[] {
  const parsed = Bun.YAML.parse(readFileSync(join(folder, file), 'utf8')) as Document | Document[];
  return Array.isArray(parsed) ? parsed : [parsed];
}

/** @returns a member at a path of names and indexes */
function getMember(document: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce((value, name) => (value as Record<string | number, unknown> | undefined)?.[name], document);
}

const composeFiles = files.filter((file) => file.startsWith('compose'));
const services = composeFiles.flatMap((file) => {
  const [document] = readDocuments(file);
  const all = Object.entries(getMember(document, 'services') as Record<string, Container>);
  return all.map(([name, service]) => ({ file, document, name, service }));
});
const ownServices = services.filter(({ service }) => service.image === 'lectern');
const manifests = readDocuments('kubernetes/lectern.yaml');
const [kustomization] = readDocuments('kubernetes/kustomization.yaml');
const machines = [
  ...readDocuments('kubernetes/machines/machines.yaml'),
  ...readDocuments('kubernetes/machines/autoscaler.yaml'),
];
const [machinesKustomization] = readDocuments('kubernetes/machines/kustomization.yaml');
const [pod] = readDocuments('kubernetes/machines/pod.yaml');
const statefulSet = manifests.find(({ kind }) => kind === 'StatefulSet');

/** Of a server, after its delay. */
const maxStopS = 10;
const atContainer = ['spec', 'template', 'spec', 'containers', 0] as const;
const probeNames = ['startupProbe', 'livenessProbe', 'readinessProbe'];

function findManifest(kind: string, name: string): Document | undefined {
  return machines.find((manifest) => manifest.kind === kind && getMember(manifest, 'metadata', 'name') === name);
}

/** The settings in the ConfigMap of a Kustomization. */
function readLiterals(document: unknown): Record<string, string> {
  const literals = getMember(document, 'configMapGenerator', 0, 'literals') as string[];
  return Object.fromEntries(literals.map((line) => line.split(/=(.*)/s, 2)));
}

/** Parses settings with the program, with files in place of secrets. */
function accept(environment: Readonly<Record<string, string>>) {
  const data = createTemporaryFolder();
  mkdirSync(join(data, 'secrets'));
  for (const [name, value] of Object.entries(secrets)) writeFileSync(join(data, 'secrets', name), `${value}\n`);
  const substituted = Object.entries(environment).map(([name, value]) => {
    const resolved = value
      .replace(/^\$\{(\w+):-([^}]*)\}$/, '$2')
      .replace(/^\$\{(\w+):\?[^}]+\}$/, (_, variable: string) => given[variable] ?? '')
      .replace(/^\/run\/secrets\//, `${data}/secrets/`);
    return [name, resolved];
  });
  return readConfig({ data }, Object.fromEntries(substituted));
}

/** The help of an unknown command is that of the program. */
async function requireCommand(words: readonly string[] = []): Promise<void> {
  const { code, stdout } = await runCommand([...words, '--help']);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`Usage: lectern ${words.join(' ')} [options]`)]);
}

test('files exist for one machine, PostgreSQL and a bucket, several machines, and Kubernetes', () => {
  expect(files).toEqual([
    'compose.machines.yaml',
    'compose.postgres.yaml',
    'compose.yaml',
    'kubernetes/kustomization.yaml',
    'kubernetes/lectern.yaml',
    'kubernetes/machines/autoscaler.yaml',
    'kubernetes/machines/kustomization.yaml',
    'kubernetes/machines/machines.yaml',
    'kubernetes/machines/pod.yaml',
  ]);
  expect(ownServices.map(({ file, name }) => `${file} ${name}`)).toEqual([
    'compose.machines.yaml serve1',
    'compose.machines.yaml serve2',
    'compose.machines.yaml speak',
    'compose.machines.yaml migrate',
    'compose.postgres.yaml lectern',
    'compose.yaml lectern',
  ]);
});

describe.each(ownServices)('$file, $name', ({ document, service }) => {
  test('has settings and a command of the program', async () => {
    expect(() => accept(service.environment ?? {})).not.toThrow();
    await requireCommand(service.command);
  });

  test('defines the secrets and volumes that it uses', () => {
    const used = Object.values(service.environment ?? {}).filter((value) => value.startsWith('/run/secrets/'));
    expect([...(service.secrets ?? [])].sort()).toEqual(used.map((path) => basename(path)).sort());
    for (const name of service.secrets ?? [])
      expect(getMember(document, 'secrets', name, 'file')).toBe(`secrets/${name}`);
    // Without a name, each container has its own volume.
    const [path = '', volume] = service.volumes?.[0]?.split(':').reverse() ?? [];
    if (volume !== undefined) expect(getMember(document, 'volumes', volume)).toEqual({});
    expect(readFileSync(join(repository, 'Dockerfile'), 'utf8')).toContain(`LECTERN_DATA=${path} `);
  });
});

test('the health check of the image passes on a running server, and fails without one', async () => {
  const dockerfile = readFileSync(join(repository, 'Dockerfile'), 'utf8');
  const [, check = '[]'] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [program, ...words] = JSON.parse(check) as string[];
  const address = `http://127.0.0.1:${accept({}).port}`;
  expect([program, words.at(-1)]).toEqual(['lectern', address]);
  const server = await startTestServer();
  const checkServer = (url: string) => runCommand([...words.slice(0, -1), url]);
  const { code, stdout } = await checkServer(server.url);
  expect([code, stdout]).toEqual([0, `ok   server    ${server.url}/healthz responds\n`]);
  await server.stop();
  expect((await checkServer(server.url)).code).toBe(1);
});

test('the server with PostgreSQL and a bucket uses both', () => {
  const { environment = {} } = ownServices.find(({ file }) => file === 'compose.postgres.yaml')?.service ?? {};
  const config = accept(environment);
  expect(config.database).toBe(secrets['database'] as string);
  expect(config).toMatchObject({ sound: { name: 'lectern' }, soundKey: 'key', soundSecret: 'secret' });
});

describe('several machines with Compose', () => {
  const ofMachines = services.filter(({ file }) => file === 'compose.machines.yaml');
  const find = (name: string) => ofMachines.find((machine) => machine.name === name)?.service;

  test('two servers and four speakers start after the migration', () => {
    // A service with two replicas would be replaced at once.
    for (const [name, port] of [
      ['serve1', 8080],
      ['serve2', 8081],
    ] as const) {
      const { synthesis, stopDelayS, trustedProxies, ...config } = accept(find(name)?.environment ?? {});
      expect(synthesis).toBe(false);
      expect(trustedProxies).toHaveLength(1);
      expect(parseInt(String(getMember(find(name), 'stop_grace_period')), 10)).toBeGreaterThanOrEqual(
        stopDelayS + maxStopS,
      );
      expect(getMember(find(name), 'ports')).toEqual([`127.0.0.1:${port}:${config.port}`]);
      expect(readFileSync(join(folder, 'haproxy.cfg'), 'utf8')).toContain(`server ${name} 127.0.0.1:${port}\n`);
    }
    expect(getMember(find('speak'), 'deploy', 'replicas')).toBe(4);
    expect(accept(find('speak')?.environment ?? {}).synthesis).toBe(true);
    for (const name of ['serve1', 'serve2', 'speak']) {
      expect(getMember(find(name), 'depends_on')).toEqual({ migrate: { condition: 'service_completed_successfully' } });
    }
    expect(getMember(find('migrate'), 'restart')).toBe('no');
  });

  test('each has its own data folder', () => {
    for (const name of ['serve1', 'serve2', 'speak', 'migrate']) expect(find(name)?.volumes).toEqual(['/data']);
  });

  test('PostgreSQL is the same as in the other file', () => {
    const { file, service } = getMember(find('postgres'), 'extends') as {
      readonly file: string;
      readonly service: string;
    };
    const other = services.find((candidate) => candidate.file === file && candidate.name === service)?.service;
    const [document] = readDocuments('compose.machines.yaml');
    for (const name of other?.secrets ?? [])
      expect(getMember(document, 'secrets', name, 'file')).toBe(`secrets/${name}`);
    for (const volume of other?.volumes ?? []) {
      expect(getMember(document, 'volumes', volume.split(':')[0] ?? '')).toEqual({});
    }
  });
});

describe('the base for Kubernetes', () => {
  test('has settings and a command of the program', async () => {
    expect(() => accept(readLiterals(kustomization))).not.toThrow();
    const container = getMember(statefulSet, ...atContainer) as Container;
    await requireCommand(container.args);
    const [source] = getMember(container, 'envFrom') as unknown[];
    expect(getMember(source, 'configMapRef', 'name')).toBe(
      getMember(kustomization, 'configMapGenerator', 0, 'name') as string,
    );
  });

  test('has one server with consistent port, volume and probes', () => {
    expect(getMember(statefulSet, 'spec', 'replicas')).toBe(1);
    const container = getMember(statefulSet, ...atContainer);
    expect(getMember(container, 'ports', 0)).toEqual({ name: 'http', containerPort: accept({}).port });
    const claim = getMember(statefulSet, 'spec', 'volumeClaimTemplates', 0, 'metadata', 'name');
    expect(getMember(container, 'volumeMounts', 0)).toEqual({ name: claim as string, mountPath: '/data' });
    for (const probe of probeNames) {
      expect(getMember(container, probe, 'httpGet')).toEqual({ path: '/healthz', port: 'http' });
    }
    const service = manifests.find(({ kind }) => kind === 'Service');
    expect(getMember(service, 'spec', 'ports', 0, 'targetPort')).toBe('http');
    expect(getMember(service, 'metadata', 'name')).toBe(getMember(statefulSet, 'spec', 'serviceName') as string);
    expect(getMember(kustomization, 'resources')).toEqual(['lectern.yaml']);
  });
});

describe('several machines with Kubernetes', () => {
  const deployments = ['lectern-serve', 'lectern-speak'].map((name) => findManifest('Deployment', name));
  const ofPod = getMember(pod, ...atContainer) as Container;
  const variables = getMember(ofPod, 'env') as readonly { readonly name: string; readonly valueFrom: unknown }[];
  const settings: Record<string, string> = {
    ...readLiterals(machinesKustomization),
    ...Object.fromEntries(
      variables.map(({ name, valueFrom }) => {
        expect(getMember(valueFrom, 'secretKeyRef', 'name')).toBe('lectern');
        return [name, secrets[getMember(valueFrom, 'secretKeyRef', 'key') as string] ?? ''];
      }),
    ),
  };

  test('have settings and commands of the program, with secrets from a Secret', async () => {
    const config = accept(settings);
    expect(config.database).toBe(secrets['database'] as string);
    expect(config).toMatchObject({ sound: { name: 'lectern' }, soundKey: 'key', soundSecret: 'secret' });
    expect(getMember(ofPod, 'envFrom', 0, 'configMapRef', 'name')).toBe(
      getMember(machinesKustomization, 'configMapGenerator', 0, 'name') as string,
    );
    const [serve, speak] = deployments;
    const accepted = [serve, speak].map((manifest) => {
      const own = getMember(manifest, ...atContainer, 'env') as { readonly name: string; readonly value: string }[];
      const config = accept({ ...settings, ...Object.fromEntries(own.map(({ name, value }) => [name, value])) });
      // The default would be the processors of the node.
      expect(String(config.workers)).toBe(
        getMember(manifest, ...atContainer, 'resources', 'requests', 'cpu') as string,
      );
      return config;
    });
    const [{ synthesis = true, stopDelayS = 0 } = {}] = accepted;
    expect(synthesis).toBe(false);
    expect(getMember(pod, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds')).toBeGreaterThanOrEqual(
      stopDelayS + maxStopS,
    );
    const words = [serve, speak].map((manifest) => (getMember(manifest, ...atContainer) as Container).args);
    expect(words).toEqual([['serve'], ['speak']]);
    for (const command of words) await requireCommand(command);
    // Both can be applied again: a Job could not, and the first new server migrates.
    expect(machines.map(({ kind }) => kind)).not.toContain('Job');
  });

  test('have patches for all pods, the configured ports, and a data folder each', () => {
    const { port, metricsPort } = accept(settings);
    expect(getMember(machinesKustomization, 'patches')).toEqual([{ path: 'pod.yaml', target: { kind: 'Deployment' } }]);
    expect(getMember(machinesKustomization, 'resources')).toEqual(['machines.yaml', 'autoscaler.yaml']);
    expect(getMember(ofPod, 'ports')).toEqual([
      { name: 'http', containerPort: port },
      { name: 'metrics', containerPort: metricsPort as number },
    ]);
    for (const probe of probeNames) {
      expect(getMember(ofPod, probe, 'httpGet')).toEqual({ path: '/healthz', port: 'http' });
    }
    expect(getMember(ofPod, 'volumeMounts')).toEqual([{ name: 'data', mountPath: '/data' }]);
    expect(getMember(pod, 'spec', 'template', 'spec', 'volumes')).toEqual([{ name: 'data', emptyDir: {} }]);
    // All containers have the name by which the patches find them.
    const containers = machines.map((manifest) => getMember(manifest, ...atContainer, 'name')).filter(Boolean);
    expect(containers).toEqual(['lectern', 'lectern']);
  });

  test.each(['serve', 'speak'])('%s has a disruption budget, and labels that its selectors name', (component) => {
    const labels = { 'app.kubernetes.io/component': component };
    const deployment = findManifest('Deployment', `lectern-${component}`);
    expect(getMember(deployment, 'spec', 'template', 'metadata', 'labels')).toEqual(labels);
    expect(getMember(deployment, 'spec', 'selector', 'matchLabels')).toEqual(labels);
    const budget = findManifest('PodDisruptionBudget', `lectern-${component}`);
    expect(getMember(budget, 'spec')).toEqual({ maxUnavailable: 1, selector: { matchLabels: labels } });
    const isServed = component === 'serve';
    if (isServed) expect(getMember(findManifest('Service', 'lectern'), 'spec', 'selector')).toEqual(labels);
    // The autoscaler would be overruled by a number of replicas at each apply.
    expect(getMember(deployment, 'spec', 'replicas')).toBe(isServed ? 2 : undefined);
  });

  test('the autoscaler reads a metric of the program', async () => {
    const autoscaler = findManifest('HorizontalPodAutoscaler', 'lectern-speak');
    expect(findManifest('Deployment', getMember(autoscaler, 'spec', 'scaleTargetRef', 'name') as string)).toBeDefined();
    const metric = getMember(autoscaler, 'spec', 'metrics', 0, 'external', 'metric');
    const server = await startTestServer();
    const text = await (await fetch(`${server.url}/metrics`)).text();
    await server.stop();
    expect(text).toMatch(new RegExp(`^${getMember(metric, 'name')} 0$`, 'm'));
  });
});
