import { describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { runCommand, temporaryFolder } from '../fixtures/server.ts';

const repository = join(import.meta.dir, '../..');
const folder = join(repository, 'deploy');
const files = [...new Bun.Glob('**/*.yaml').scanSync(folder)].sort();
/** What operators give for a variable without a default. */
const given: Readonly<Record<string, string>> = {
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
function at(document: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce((value, name) => (value as Record<string | number, unknown> | undefined)?.[name], document);
}

const composeFiles = files.filter((file) => file.startsWith('compose'));
const services = composeFiles.flatMap((file) => {
  const [document] = readDocuments(file);
  const all = Object.entries(at(document, 'services') as Record<string, Container>);
  return all.map(([name, service]) => ({ file, document, name, service }));
});
const ownServices = services.filter(({ service }) => service.image === 'lectern');
const manifests = readDocuments('kubernetes/lectern.yaml');
const [kustomization] = readDocuments('kubernetes/kustomization.yaml');
const statefulSet = manifests.find(({ kind }) => kind === 'StatefulSet');

/** Lets the program read settings, with files in the place of secrets. */
function accept(environment: Readonly<Record<string, string>>) {
  const data = temporaryFolder();
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

test('there is a file for one machine, one with PostgreSQL and a bucket, and a base for Kubernetes', () => {
  expect(files).toEqual([
    'compose.postgres.yaml',
    'compose.yaml',
    'kubernetes/kustomization.yaml',
    'kubernetes/lectern.yaml',
  ]);
  expect(ownServices.map(({ file, name }) => `${file} ${name}`)).toEqual([
    'compose.postgres.yaml lectern',
    'compose.yaml lectern',
  ]);
});

describe.each(ownServices)('$file, $name', ({ document, service }) => {
  test('has settings and a command of the program', async () => {
    expect(() => accept(service.environment ?? {})).not.toThrow();
    await requireCommand(service.command);
  });

  test('has the secrets and volumes that it names', () => {
    const used = Object.values(service.environment ?? {}).filter((value) => value.startsWith('/run/secrets/'));
    expect([...(service.secrets ?? [])].sort()).toEqual(used.map((path) => basename(path)).sort());
    for (const name of service.secrets ?? []) expect(at(document, 'secrets', name, 'file')).toBe(`secrets/${name}`);
    const [volume = '', path = ''] = service.volumes?.[0]?.split(':') ?? [];
    expect(at(document, 'volumes', volume)).toEqual({});
    expect(readFileSync(join(repository, 'Dockerfile'), 'utf8')).toContain(`LECTERN_DATA=${path} `);
  });
});

test('the server with PostgreSQL and a bucket uses both', () => {
  const { environment = {} } = ownServices[0]?.service ?? {};
  const config = accept(environment);
  expect(config.database).toBe(secrets['database'] as string);
  expect(config).toMatchObject({ sound: { name: 'lectern' }, soundKey: 'key', soundSecret: 'secret' });
});

describe('the base for Kubernetes', () => {
  test('has settings and a command of the program', async () => {
    const literals = at(kustomization, 'configMapGenerator', 0, 'literals') as string[];
    expect(() => accept(Object.fromEntries(literals.map((line) => line.split(/=(.*)/s, 2))))).not.toThrow();
    const container = at(statefulSet, 'spec', 'template', 'spec', 'containers', 0) as Container;
    await requireCommand(container.args);
    const [source] = at(container, 'envFrom') as unknown[];
    expect(at(source, 'configMapRef', 'name')).toBe(at(kustomization, 'configMapGenerator', 0, 'name') as string);
  });

  test('has one server, whose port, volume and probes fit together', () => {
    expect(at(statefulSet, 'spec', 'replicas')).toBe(1);
    const container = at(statefulSet, 'spec', 'template', 'spec', 'containers', 0);
    expect(at(container, 'ports', 0)).toEqual({ name: 'http', containerPort: accept({}).port });
    const claim = at(statefulSet, 'spec', 'volumeClaimTemplates', 0, 'metadata', 'name');
    expect(at(container, 'volumeMounts', 0)).toEqual({ name: claim as string, mountPath: '/data' });
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expect(at(container, probe, 'httpGet')).toEqual({ path: '/healthz', port: 'http' });
    }
    const service = manifests.find(({ kind }) => kind === 'Service');
    expect(at(service, 'spec', 'ports', 0, 'targetPort')).toBe('http');
    expect(at(service, 'metadata', 'name')).toBe(at(statefulSet, 'spec', 'serviceName') as string);
    expect(at(kustomization, 'resources')).toEqual(['lectern.yaml']);
  });
});
