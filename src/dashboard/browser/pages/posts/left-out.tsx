import type { LeftOutReason } from '../../../../speech/extract/block.ts';
import { type Column, Table } from '../../components/table.tsx';

/** Text that is not spoken. */
interface LeftOutText {
  readonly text: string;
  readonly reason: string;
}

/** Reasons without an entry are shown unchanged. */
const reasonWords: Partial<Record<LeftOutReason, string>> = {
  script: 'Script',
  style: 'Style sheet',
  hidden: 'Hidden on the page',
  code: 'Program code, or a long code like a hash',
  formula: 'Formula that cannot be read from left to right',
  'foreign script': 'Script not supported by the voice',
  caption: 'Image caption',
  form: 'Form field',
  'page furniture': 'Boilerplate',
  'related articles': 'Links to other articles',
  table: 'Table (tables are not read on this site)',
  'ruby annotation': 'Ruby annotation',
  shortcode: 'CMS shortcode',
  'broken markup': 'Broken HTML',
  'repeats the title': 'Repeats the title',
  'repeats the text': 'Repeats the text',
  'left out by the site': 'Excluded by a selector of this site',
  'no speakable text': 'No speakable text',
};

const columns: readonly Column<LeftOutText>[] = [
  { title: 'Text', cell: ({ text }) => (text === '' ? <em>no text</em> : text) },
  { title: 'Reason', cell: ({ reason }) => reasonText(reason) },
];

/** Excluded text with reasons. */
export function LeftOutList({ items }: { readonly items: readonly LeftOutText[] }) {
  return (
    <div class="left-out">
      <Table
        caption="Excluded text"
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
