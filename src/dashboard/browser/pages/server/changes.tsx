import { formatDateTime, formatLanguage } from '../../format.ts';

interface ChangesProps {
  /** Previous values; null if there were none. */
  readonly before: unknown;
  readonly after: unknown;
  /** By ID, in place of it. */
  readonly voices: ReadonlyMap<number, string>;
}

/** Fields that the entry shows elsewhere. */
const hiddenFields = ['id', 'created_at', 'updated_at'];
const shownLength = 200;

/** The changed fields with old and new value. */
export function Changes({ before, after, voices }: ChangesProps) {
  const was = membersOf(before);
  const is = membersOf(after);
  const names = [...new Set([...was.keys(), ...is.keys()])].filter(
    (name) => !hiddenFields.includes(name) && !(isNothing(was.get(name)) && isNothing(is.get(name))),
  );
  if (names.length === 0) return <span class="dim">–</span>;
  const inWords = (name: string, value: unknown) => <Value of={named(name, value, voices)} />;
  const isLong = names.length > 4;
  const list = (
    <dl class="small">
      {names.map((name) => (
        <div key={name} class="row wrap">
          <dt class="dim">{name.replace(/_id$/, '').replaceAll('_', ' ')}</dt>
          <dd>
            {was.has(name) && (
              <del>
                <span class="unseen">was </span>
                {inWords(name, was.get(name))}
              </del>
            )}
            {was.has(name) && is.has(name) && <span aria-hidden="true"> → </span>}
            {is.has(name) && (
              <ins>
                {was.has(name) && <span class="unseen">is now </span>}
                {inWords(name, is.get(name))}
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
  if (!isLong) return list;
  return (
    <details>
      <summary>{names.length} changed fields</summary>
      {list}
    </details>
  );
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null) {
    return new Map(value === null || value === undefined ? [] : [['value', value]]);
  }
  return new Map(Object.entries(value));
}

/** Languages and voices by their names. */
function named(field: string, value: unknown, voices: ChangesProps['voices']): unknown {
  if (Array.isArray(value)) return value.map((item) => named(field, item, voices));
  if (field === 'language' && typeof value === 'string' && value !== '') return formatLanguage(value);
  return /voice(_id|s)$/.test(field) && typeof value === 'number' ? (voices.get(value) ?? value) : value;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function Value({ of }: { readonly of: unknown }) {
  const text = plainText(of);
  const shown = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
  // Phonemes: only this font has their signs.
  return text.includes('[[') ? <code>{shown}</code> : shown;
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plainText).join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, member]) => `${name}: ${plainText(member)}`)
      .join(', ');
  }
  const text = String(value);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return formatDateTime(text);
  return text === '' ? 'empty' : text;
}
