import { readFileSync } from 'node:fs';

type Attributes = Readonly<Record<string, string>>;
type IconNode = readonly [tag: string, attributes: Attributes];

/**
 * Icons of Lucide as elements with attributes, without the file around them. Runs in the bundler, as a macro: only the named
 * icons are in the bundle.
 * @param names with a space between them
 */
export function readIcons<const Names extends string>(names: Names): Record<Word<Names>, readonly IconNode[]> {
  return Object.fromEntries(names.split(' ').map((name) => [name, readIcon(name)])) as Record<Word<Names>, IconNode[]>;
}

type Word<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Text;

function readIcon(name: string): IconNode[] {
  const path = Bun.resolveSync(`lucide-static/icons/${name}.svg`, import.meta.dir);
  const [, inner = ''] = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(readFileSync(path, 'utf8')) ?? [];
  const nodes = Array.from(
    inner.matchAll(/<([a-z]+) ([^>]*?)\/>/g),
    ([, tag = '', attributes = '']): IconNode => [
      tag,
      Object.fromEntries(Array.from(attributes.matchAll(/([a-z0-9-]+)="([^"]*)"/g), ([, key, value]) => [key, value])),
    ],
  );
  if (nodes.length === 0) throw new Error(`${path}: icon without elements`);
  return nodes;
}
