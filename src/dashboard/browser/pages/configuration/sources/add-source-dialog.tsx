import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { runInBackground } from '../../../background.ts';
import { Badge } from '../../../components/badge.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { Table } from '../../../components/table.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { formatCount, formatNumber } from '../../../format.ts';
import { useAction } from '../../../query.ts';
import { useSite } from '../../../site.tsx';
import { outcomeLabel } from './outcomes.ts';

const shownMost = 10;
const usualBackfill = '10';

type Preview = Awaited<ReturnType<typeof readPreview>>;

interface AddSourceProps {
  readonly onAdded: () => void;
  readonly onClose: () => void;
}

/** Asks for the URL, previews the feed, then adds it. */
export function AddSourceDialog({ onAdded, onClose }: AddSourceProps) {
  const { site } = useSite();
  const tell = useToast();
  const [url, setUrl] = useState('');
  const [backfill, setBackfill] = useState(usualBackfill);
  const [isPublic, setIsPublic] = useState(true);
  const [preview, setPreview] = useState<Preview>();
  const look = useAction(async (most: string) => {
    setPreview(await readPreview(site.slug, url, Number(most)));
  });
  const add = useAction(async () => {
    await ask(() =>
      api.sites({ site: encodeSegment(site.slug) }).sources.post({
        url,
        backfill: Number(backfill),
        visibility: isPublic ? 'public' : 'private',
      }),
    );
    tell('Feed added');
    onAdded();
  });
  const address = (
    <TextField
      label="Feed URL"
      name="url"
      type="url"
      placeholder={`https://${site.domains[0] ?? 'www.example.org'}/feed`}
      autocomplete="off"
      spellcheck={false}
      problem={preview === undefined ? look.problem : add.problem}
      value={url}
      onValue={(given) => {
        setUrl(given);
        setPreview(undefined);
      }}
    />
  );
  if (preview === undefined) {
    return (
      <Dialog title="Add feed" onClose={onClose}>
        <Form
          action={{ ...look, run: () => look.run(backfill) }}
          submit="Preview feed"
          fields={['url']}
          canSubmit={url.trim() !== ''}
          onCancel={onClose}
        >
          {address}
        </Form>
      </Dialog>
    );
  }
  return (
    <Dialog title="Add feed" onClose={onClose} isWide>
      <Form action={add} submit="Add feed" fields={['url']} onCancel={onClose}>
        {address}
        <Found preview={preview} />
        <ErrorNotice problem={look.problem} />
        <SelectField
          label="Existing items"
          value={backfill}
          onValue={(most) => {
            setBackfill(most);
            runInBackground(look.run(most));
          }}
          options={[
            { value: '0', label: 'None: only new items become posts' },
            { value: '1', label: 'Newest item becomes a post' },
            { value: '10', label: 'Newest 10 items become posts' },
            { value: '25', label: 'Newest 25 items become posts' },
            { value: '100', label: 'Newest 100 items become posts' },
          ]}
        />
        <CheckField
          label="Publish posts"
          hint="When off, posts stay private until you publish them."
          isChecked={isPublic}
          onChecked={setIsPublic}
        />
      </Form>
    </Dialog>
  );
}

function Found({ preview: { title, format, item_count, items } }: { readonly preview: Preview }) {
  const posts = items.filter(({ outcome }) => outcome === 'queued').length;
  const others = item_count - shownMost;
  return (
    <div class="feed-found">
      <p>
        <strong>{title ?? 'Untitled feed'}</strong> ({format.toUpperCase()}) contains {formatCount(item_count, 'item')}.
        New posts: {formatNumber(posts)}.
      </p>
      {items.length === 0 ? (
        <Notice>
          <p>The feed is empty. New items become posts.</p>
        </Notice>
      ) : (
        <Table
          caption="Items of the feed"
          rows={items.slice(0, shownMost)}
          keyOf={({ guid }) => guid}
          columns={[
            {
              title: 'Item',
              cell: ({ title: name, guid, excerpt }) => (
                <>
                  <strong>{name ?? guid}</strong>
                  <span class="item-excerpt">{excerpt}</span>
                </>
              ),
            },
            {
              title: 'Characters',
              isNumber: true,
              cell: ({ text_length }) => formatNumber(text_length),
            },
            {
              title: 'Result',
              cell: ({ outcome }) => {
                const { kind, word } = outcomeLabel(outcome);
                return <Badge kind={kind}>{word}</Badge>;
              },
            },
          ]}
        />
      )}
      {others > 0 && <p class="hint">And {formatCount(others, 'older item')}.</p>}
    </div>
  );
}

function readPreview(slug: string, url: string, backfill: number) {
  return ask(() => api.sites({ site: encodeSegment(slug) }).sources.preview.post({ url, backfill }));
}
