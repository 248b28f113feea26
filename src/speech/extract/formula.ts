import { Parser } from 'htmlparser2';

/** A longer or deeper formula is left out. */
const MAX_UNITS = 10_000;
const MAX_DEPTH = 50;
const MAX_TEX_DEPTH = 30;

const LEAVES = new Set(['mi', 'mn', 'mo', 'mtext', 'ms']);
/** Elements that only group their children. */
const GROUPS = new Set(['math', 'mrow', 'mstyle', 'mpadded', 'semantics', 'mfenced', 'merror']);
const SILENT = new Set(['annotation', 'annotation-xml', 'mspace', 'mphantom', 'none', 'mprescripts']);
/** Elements with an order of their own, by the number of their children. */
const LAYOUTS: Readonly<Record<string, readonly number[]>> = {
  ...{ mfrac: [2], mroot: [2], msup: [2], msub: [2], msubsup: [3], munder: [2], mover: [2], munderover: [3] },
};

/** A formula as presentation MathML builds it: a leaf has a text, others have children. */
interface FormulaNode {
  readonly name: string;
  readonly text: string;
  readonly children: readonly FormulaNode[];
}

/** A MathML element of the source. */
interface ParsedFormula {
  readonly root: FormulaNode;
  readonly tex: string | undefined;
  readonly alternative: string | undefined;
}

/** @param mathml a `math` element with its end tag */
export function isSpeakableFormula(mathml: string): boolean {
  return parseFormula(mathml) !== undefined;
}

/**
 * @param mathml a `math` element with its end tag
 * @returns the formula: its presentation, else its TeX, else its text alternative; undefined if none of them can be spoken
 */
function parseFormula(mathml: string): FormulaNode | string | undefined {
  if (mathml.length > MAX_UNITS) return undefined;
  const parsed = parseMathMl(mathml);
  if (parsed === undefined) return undefined;
  const { root, tex, alternative } = parsed;
  if (isSupported(root)) return root;
  const formula = tex && parseTex(tex);
  if (formula) return formula;
  if (alternative === undefined) return undefined;
  return /\p{L}{3} \p{L}/u.test(alternative) && !/[\\{}^_]/.test(alternative) ? alternative : parseTex(alternative);
}

function parseMathMl(mathml: string): ParsedFormula | undefined {
  interface OpenNode {
    readonly name: string;
    text: string;
    readonly children: OpenNode[];
  }
  const top: OpenNode = { name: '', text: '', children: [] };
  const open = [top];
  let tex: string | undefined;
  let alternative: string | undefined;
  let isTex = false;
  let isTooDeep = false;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (name === 'math') alternative ??= attributes['alttext']?.trim() || undefined;
        isTex = name === 'annotation' && /tex/i.test(attributes['encoding'] ?? '');
        const node = { name, text: '', children: [] };
        open.at(-1)?.children.push(node);
        open.push(node);
        isTooDeep ||= open.length > MAX_DEPTH;
      },
      ontext: (text) => {
        const node = open.at(-1);
        if (node !== undefined) node.text += text;
      },
      onclosetag: () => {
        const node = open.pop();
        if (isTex) tex ??= node?.text.trim();
        isTex = false;
      },
    },
    { recognizeSelfClosing: true },
  );
  parser.end(mathml);
  const [root] = top.children;
  return isTooDeep || root?.name !== 'math' ? undefined : { root, tex, alternative };
}

/** Whether a formula has words, and nothing without an order to say them in, such as a matrix. */
function isSupported(root: FormulaNode): boolean {
  return hasText(root) && isKnown(root);
}

function hasText({ name, text, children }: FormulaNode): boolean {
  if (SILENT.has(name)) return false;
  return LEAVES.has(name) ? /[\p{L}\p{N}]/u.test(text) : children.some(hasText);
}

function isKnown({ name, text, children }: FormulaNode): boolean {
  if (LEAVES.has(name) || SILENT.has(name)) return true;
  const isText = text.trim() !== '';
  const isGroup = GROUPS.has(name) || name === 'msqrt' || (LAYOUTS[name]?.includes(children.length) ?? false);
  return isGroup && !isText && children.every(isKnown);
}

/** @param text names, each with its value behind it */
function parsePairs(text: string): ReadonlyMap<string, string> {
  const pairs = text.matchAll(/(\S+) (\S+)/g);
  return new Map([...pairs].map(([, name = '', value = '']) => [name, value]));
}

const WORD_NAMES = [
  ...(['over', 'squared', 'cubed', 'power', 'index', 'squareRoot', 'root', 'minus', 'from', 'to'] as const),
  ...(['sum', 'integral', 'infinity'] as const),
];
/** Words of a language for the parts of a formula; `#` in `root` is replaced by its ordinal. */
type FormulaWords = Readonly<Record<(typeof WORD_NAMES)[number], string>>;

function parseWords(words: string): FormulaWords {
  const list = words.split('|');
  return Object.fromEntries(WORD_NAMES.map((name, index) => [name, list[index] ?? ''])) as FormulaWords;
}

const WORDS: Readonly<Record<string, FormulaWords>> = {
  en: parseWords(
    'over|squared|cubed|to the power of|sub|the square root of|the # root of|minus|from|to|the sum|the integral|infinity',
  ),
  de: parseWords('durch|Quadrat|hoch drei|hoch||Wurzel aus|die # Wurzel aus|minus|von|bis|Summe|Integral|unendlich'),
  fr: parseWords(
    "sur|au carré|au cube|puissance|indice|racine carrée de|racine # de|moins|de|à|somme|intégrale|l'infini",
  ),
  es: parseWords(
    'entre|al cuadrado|al cubo|elevado a|sub|raíz cuadrada de|raíz # de|menos|de|a|suma|integral|infinito',
  ),
  it: parseWords(
    'fratto|al quadrato|al cubo|elevato a|con|radice quadrata di|radice # di|meno|da|a|somma|integrale|infinito',
  ),
  pt: parseWords(
    'sobre|ao quadrado|ao cubo|elevado a|índice|raiz quadrada de|raiz # de|menos|de|a|soma|integral|infinito',
  ),
  nl: parseWords(
    'gedeeld door|kwadraat|tot de derde|tot de macht||de wortel van|de # wortel van|min|van|tot|som|integraal|oneindig',
  ),
  pl: parseWords(
    'przez|do kwadratu|do sześcianu|do potęgi||pierwiastek z|pierwiastek # z|minus|od|do|suma|całka|nieskończoność',
  ),
};
/** Of a language without words for them. */
const SIGNS = parseWords('/|²|³|^||√|# √|−|||∑|∫|∞');

/**
 * @param language BCP 47 primary code
 * @param writeOrdinal "3rd"
 * @returns words for the normalization; undefined if the formula cannot be spoken
 */
export function verbalizeFormula(
  mathml: string,
  language: string,
  writeOrdinal: (value: number, language: string) => string,
): string | undefined {
  const formula = parseFormula(mathml);
  if (formula === undefined || typeof formula === 'string') return formula;
  const words = WORDS[language] ?? SIGNS;
  const toOrdinal = (index: string) => (/^\d{1,3}$/.test(index) ? writeOrdinal(Number(index), language) : index);
  return verbalizeNode(formula, words, toOrdinal).replace(/\s+/g, ' ').trim();
}

function verbalizeNode(node: FormulaNode, words: FormulaWords, toOrdinal: (index: string) => string): string {
  const { name, text, children } = node;
  if (SILENT.has(name)) return '';
  if (LEAVES.has(name)) return verbalizeLeaf(text.trim(), words);
  // Each child once: a second time at every level would double the work with the depth.
  const parts = children.map((child) => verbalizeNode(child, words, toOrdinal));
  const [first = '', second = '', third = ''] = parts.map((part) => part.trim());
  switch (name) {
    case 'mfrac': {
      if (/^\d{1,4}$/.test(first) && /^\d{1,4}$/.test(second)) return ` ${first}/${second} `;
      const pause = isComposite(first) || isComposite(second) ? ', ' : ' ';
      return ` ${first}${pause}${words.over} ${second}${pause}`;
    }
    case 'msqrt':
      return ` ${words.squareRoot} ${parts.join(' ')} `;
    case 'mroot':
      return ` ${words.root.replace('#', () => toOrdinal(second))} ${first} `;
    case 'msup':
      return ` ${first} ${verbalizePower(second, words)} `;
    case 'msub':
      return ` ${first} ${words.index} ${second} `;
    case 'msubsup':
      return isOperator(children[0])
        ? ` ${first} ${words.from} ${second} ${words.to} ${third} `
        : ` ${first} ${words.index} ${second} ${verbalizePower(third, words)} `;
    case 'munder':
      return ` ${first} ${second} `;
    case 'mover':
      return /\p{L}|\p{N}/u.test(second) ? ` ${first} ${second} ` : ` ${first} `;
    case 'munderover':
      return ` ${first} ${words.from} ${second} ${words.to} ${third} `;
    default:
      return parts.join(' ');
  }
}

function isComposite(spoken: string): boolean {
  return /\s/.test(spoken);
}

function isOperator(node: FormulaNode | undefined): boolean {
  return node?.name === 'mo';
}

function verbalizePower(exponent: string, { squared, cubed, power }: FormulaWords): string {
  if (exponent === '2') return squared;
  if (exponent === '3') return cubed;
  return /[\p{L}\p{N}]/u.test(exponent) ? `${power} ${exponent}` : exponent;
}

/** Names that most languages share; a variant such as ϕ has the name of its letter. */
const GREEK = parsePairs(
  'α alpha β beta γ gamma δ delta ε epsilon ϵ epsilon ζ zeta η eta θ theta ϑ theta ι iota κ kappa λ lambda μ mu µ mu ν nu ξ xi ' +
    'π pi ρ rho σ sigma τ tau υ upsilon φ phi ϕ phi χ chi ψ psi ω omega',
);

function verbalizeLeaf(text: string, { minus, sum, integral, infinity }: FormulaWords): string {
  // U+2061 to U+2064 are invisible operators.
  const plain = text.replace(/[\u2061-\u2064\u200b]/g, ' ');
  if (/^[-−–]$/.test(plain)) return ` ${minus} `;
  if (/^[⋅·∗*∙]$/.test(plain)) return ' × ';
  const named = plain.replace(/∑/g, sum).replace(/∫/g, integral).replace(/∞/g, infinity);
  return ` ${named.replace(/\p{sc=Greek}|µ/gu, (letter) => ` ${GREEK.get(letter.toLowerCase()) ?? letter} `)} `;
}

/** Commands for a sign or a word. */
const SYMBOLS = parsePairs(
  'times × cdot · div ÷ pm ± le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ to → rightarrow → infty ∞ sum ∑ prod ∏ int ∫ ' +
    'alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ ' +
    'sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Pi Π Sigma Σ Phi Φ Omega Ω',
);
const FUNCTIONS = new Set('sin cos tan log ln exp lim min max det'.split(' '));
/** Commands without a sound. */
const SILENT_COMMANDS = new Set('displaystyle textstyle scriptstyle left right quad qquad , ; : !'.split(' '));
/** Commands whose argument is read. */
const WRAPPERS = new Set('text mathrm mathbf mathit mathsf mathcal operatorname textrm boldsymbol'.split(' '));
const TOKEN = /\\([a-zA-Z]+|.)|([{}[\]^_])|(\d+(?:[.,]\d+)?)|(\p{L})|\s+|(.)/gsu;

/** @returns a simple formula of TeX as MathML would build it; undefined for commands that are not known */
function parseTex(tex: string): FormulaNode | undefined {
  const parser = new TexParser(tex);
  const row = parser.parseRow('', 0);
  return row !== undefined && parser.isAtEnd ? row : undefined;
}

const leaf = (name: string, text: string): FormulaNode => ({ name, text, children: [] });
const group = (name: string, children: readonly FormulaNode[]): FormulaNode => ({ name, text: '', children });

class TexParser {
  readonly #tokens: RegExpExecArray[];
  #at = 0;

  constructor(tex: string) {
    this.#tokens = [...tex.matchAll(TOKEN)].filter(([token]) => token.trim() !== '');
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  /** @param end the bracket that ends it, empty for the whole formula */
  parseRow(end: '' | '}' | ']', depth: number): FormulaNode | undefined {
    const parts: FormulaNode[] = [];
    while (!this.isAtEnd) {
      const token = this.#tokens[this.#at]?.[0] ?? '';
      if (token === end) {
        this.#at += 1;
        return group('mrow', parts);
      }
      const part = this.#parsePart(depth);
      const scripted = part && this.#parseScripts(part, depth);
      if (scripted === undefined) return undefined;
      parts.push(scripted);
    }
    return end === '' ? group('mrow', parts) : undefined;
  }

  #parseScripts(base: FormulaNode, depth: number): FormulaNode | undefined {
    let low: FormulaNode | undefined;
    let high: FormulaNode | undefined;
    for (let sign = this.#tokens[this.#at]?.[0]; sign === '^' || sign === '_'; sign = this.#tokens[this.#at]?.[0]) {
      this.#at += 1;
      const script = this.#parsePart(depth);
      if (script === undefined) return undefined;
      if (sign === '^') high ??= script;
      else low ??= script;
    }
    if (low !== undefined && high !== undefined) return group('msubsup', [base, low, high]);
    if (low !== undefined) return group('msub', [base, low]);
    return high === undefined ? base : group('msup', [base, high]);
  }

  #parsePart(depth: number): FormulaNode | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || depth > MAX_TEX_DEPTH) return undefined;
    this.#at += 1;
    const [written, command, sign, number, letter, other] = token;
    if (command !== undefined) return this.#parseCommand(command, depth);
    if (number !== undefined) return leaf('mn', number);
    if (letter !== undefined) return leaf('mi', letter);
    if (sign === '{') return this.parseRow('}', depth + 1);
    if (sign === undefined) return leaf('mo', other ?? '');
    return sign === '[' || sign === ']' ? leaf('mo', written) : undefined;
  }

  #parseCommand(command: string, depth: number): FormulaNode | undefined {
    const symbol = SYMBOLS.get(command);
    if (symbol !== undefined) return leaf(/\p{L}/u.test(symbol) ? 'mi' : 'mo', symbol);
    if (FUNCTIONS.has(command)) return leaf('mi', command);
    if (SILENT_COMMANDS.has(command)) return group('mrow', []);
    if (WRAPPERS.has(command)) return this.#parseText() ?? this.#parsePart(depth + 1);
    if (/^[dt]?frac$/.test(command)) return this.#parseArguments('mfrac', depth);
    if (command !== 'sqrt') return undefined;
    if (this.#tokens[this.#at]?.[0] !== '[') {
      const root = this.#parsePart(depth + 1);
      return root && group('msqrt', [root]);
    }
    this.#at += 1;
    const index = this.parseRow(']', depth + 1);
    const base = index && this.#parsePart(depth + 1);
    return base && group('mroot', [base, index]);
  }

  /** "{two words}" */
  #parseText(): FormulaNode | undefined {
    const [start] = this.#tokens.slice(this.#at, this.#at + 1);
    const length = this.#tokens.slice(this.#at).findIndex(([token]) => token === '}');
    const end = this.#tokens[this.#at + length];
    if (start?.[0] !== '{' || length < 0 || end === undefined) return undefined;
    const text = end.input.slice(start.index + 1, end.index);
    if (/[\\{}^_]/.test(text)) return undefined;
    this.#at += length + 1;
    return leaf('mtext', text);
  }

  #parseArguments(name: string, depth: number): FormulaNode | undefined {
    const first = this.#parsePart(depth + 1);
    const second = first && this.#parsePart(depth + 1);
    return first && second && group(name, [first, second]);
  }
}
