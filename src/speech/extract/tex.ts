/** A formula as presentation MathML builds it: a leaf has a text, others have children. */
export interface FormulaNode {
  readonly name: string;
  readonly text: string;
  readonly children: readonly FormulaNode[];
}

const MAX_DEPTH = 30;

/** Commands for a sign or a word. */
const SYMBOLS = new Map(
  (
    'times × cdot · div ÷ pm ± le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ to → rightarrow → infty ∞ sum ∑ prod ∏ int ∫ ' +
    'alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ ' +
    'sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Pi Π Sigma Σ Phi Φ Omega Ω'
  )
    .split(' ')
    .flatMap((item, index, all) => (index % 2 === 0 ? [[item, all[index + 1] ?? ''] as const] : [])),
);
const FUNCTIONS = new Set('sin cos tan log ln exp lim min max det'.split(' '));
/** Commands without a sound. */
const SILENT = new Set('displaystyle textstyle scriptstyle left right quad qquad , ; : !'.split(' '));
/** Commands whose argument is read. */
const WRAPPERS = new Set('text mathrm mathbf mathit mathsf mathcal operatorname textrm boldsymbol'.split(' '));
const TOKEN = /\\([a-zA-Z]+|.)|([{}[\]^_])|(\d+(?:[.,]\d+)?)|(\p{L})|\s+|(.)/gsu;

/** @returns a simple formula of TeX as MathML would build it; undefined for commands that are not known */
export function parseTex(tex: string): FormulaNode | undefined {
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
    if (token === undefined || depth > MAX_DEPTH) return undefined;
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
    if (SILENT.has(command)) return group('mrow', []);
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
