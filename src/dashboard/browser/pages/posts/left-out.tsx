import type { LeftOutReason } from '../../../../speech/extract/block.ts';
import { type Column, Table } from '../../parts/table.tsx';

/** A stretch of the text that isn't spoken. */
interface LeftOutText {
  readonly text: string;
  readonly reason: string;
}

/** Those without an entry say it themselves. */
const reasonWords: Partial<Record<LeftOutReason, string>> = {
  script: 'Script',
  style: 'Style sheet',
  hidden: 'Hidden on the page',
  code: 'Program code, or a long code like a hash',
  'foreign script': 'In a script that the voice cannot pronounce',
  caption: 'Caption of a picture',
  form: 'Form field',
  'page furniture': 'Part of the page, not of the article',
  'related articles': 'Links to other articles',
  table: 'Table (tables are not read on this site)',
  'ruby annotation': 'Reading aid above characters',
  shortcode: 'Shortcode of the content system',
  'broken markup': 'Broken HTML',
  'repeats the title': 'Says the title again',
  'repeats the text': 'Says again what the text says',
  'left out by the site': 'Left out by a selector of this site',
  'no speakable text': 'Nothing in it can be spoken',
};

const columns: readonly Column<LeftOutText>[] = [
  { title: 'Text', cell: ({ text }) => (text === '' ? <em>no text</em> : text) },
  { title: 'Why', cell: ({ reason }) => reasonText(reason) },
];

/** What is not spoken, and why. */
export function LeftOutList({ items }: { readonly items: readonly LeftOutText[] }) {
  return (
    <div class="left-out">
      <Table
        caption="What is left out, and why"
        rows={items.map((item, index) => ({ ...item, index }))}
        keyOf={({ index }) => index}
        columns={columns}
      />
    </div>
  );
}

function reasonText(reason: string): string {
  const known: Readonly<Record<string, string>> = reasonWords;
  return known[reason] ?? `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}`;
}
