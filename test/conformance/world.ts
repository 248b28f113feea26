/** A request with its response. */
export class Exchange {
  /** Method and path, as shown in the table. */
  readonly request: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor(request: string, response: Response, text: string) {
    this.request = request;
    this.status = response.status;
    this.headers = response.headers;
    this.text = text;
  }

  get body(): Record<string, unknown> {
    try {
      const body: unknown = JSON.parse(this.text);
      return typeof body === 'object' && body !== null ? { ...body } : {};
    } catch {
      return {};
    }
  }

  get data(): Record<string, unknown> {
    const { data } = this.body;
    return typeof data === 'object' && data !== null ? { ...data } : {};
  }
}

/** Options of a request. */
export interface RequestOptions {
  readonly key?: string;
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly body?: string;
}

/** A site created for the run. */
export interface ConformanceSite {
  readonly id: number;
  readonly domain: string;
  readonly key: string;
}

export interface SiteOptions {
  readonly plan?: 'starter' | 'growth' | 'enterprise';
  readonly moreDomains?: readonly string[];
}

const responseTimeoutMs = 30_000;
const settlePatienceMs = 180_000;
/** Shorter than the recommended interval of three seconds, as a run uses many keys. */
const pollPauseMs = 1_100;

/** The server under test, seen only from outside: by HTTP. */
export class World {
  readonly #baseUrl: string;
  readonly #token: string;
  readonly #run = crypto.randomUUID().slice(0, 8);
  readonly #sites = new Set<number>();
  #siteCount = 0;

  private constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  /** Signs in. @throws Error if that fails */
  static async enter(baseUrl: string, email: string, password: string): Promise<World> {
    const outside = new World(baseUrl.replace(/\/+$/, ''), '');
    const response = await outside.request('POST', '/v1/auth/login', { json: { email, password } });
    const { token } = response.data;
    if (response.status !== 200 || typeof token !== 'string') {
      throw new Error(`cannot sign in as ${email}: ${response.status} ${response.text}`);
    }
    return new World(outside.#baseUrl, token);
  }

  get token(): string {
    return this.#token;
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Exchange> {
    const { key, token, json, body, headers } = options;
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(responseTimeoutMs),
      headers: {
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? (body === undefined ? {} : { body }) : { body: JSON.stringify(json) }),
    });
    return new Exchange(`${method} ${path}`, response, await response.text());
  }

  get(path: string, options: RequestOptions = {}): Promise<Exchange> {
    return this.request('GET', path, options);
  }

  post(path: string, json: unknown, options: RequestOptions = {}): Promise<Exchange> {
    return this.request('POST', path, { ...options, json });
  }

  /** Sends a request of the dashboard as the signed-in admin, which must succeed. */
  async manage(method: string, path: string, json?: unknown): Promise<Record<string, unknown>> {
    const response = await this.request(method, path, {
      token: this.#token,
      ...(json === undefined ? {} : { json }),
    });
    if (response.status >= 300) {
      throw new Error(`preparing: ${response.request}: ${response.status} ${response.text}`);
    }
    return response.data;
  }

  /** @returns a host name that no other site has */
  createDomain(): string {
    this.#siteCount += 1;
    return `site-${this.#siteCount}-${this.#run}.example`;
  }

  async createSite({ plan = 'enterprise', moreDomains = [] }: SiteOptions = {}): Promise<ConformanceSite> {
    const domain = this.createDomain();
    const site = await this.manage('POST', '/v1/sites', {
      name: `Conformance ${domain}`,
      domains: [domain, ...moreDomains],
      plan,
    });
    const id = Number(site['id']);
    this.#sites.add(id);
    return { id, domain, key: await this.createKey(id) };
  }

  async createKey(siteId: number): Promise<string> {
    const { key } = await this.manage('POST', `/v1/sites/${siteId}/keys`, { name: 'conformance' });
    return String(key);
  }

  /** Polls until a post is ready or failed, or has a given state. @returns the last response */
  async pollPost(site: ConformanceSite, postId: string, state?: string): Promise<Exchange> {
    const deadline = Date.now() + settlePatienceMs;
    while (true) {
      const response = await this.get(`/v1/audio/${postId}/status`, { key: site.key });
      const { status } = response.data;
      if (status === state || status === 'ready' || status === 'failed') return response;
      if (response.status !== 200) throw new Error(`${response.request}: ${response.status} ${response.text}`);
      if (Date.now() > deadline) throw new Error(`${postId} is still ${String(status)}`);
      await Bun.sleep(pollPauseMs);
    }
  }

  async dropSite(id: number): Promise<void> {
    await this.manage('DELETE', `/v1/sites/${id}?permanently=true`);
    this.#sites.delete(id);
  }

  /** Deletes the data of the run. */
  async leave(): Promise<void> {
    for (const id of this.#sites) await this.dropSite(id);
  }
}
