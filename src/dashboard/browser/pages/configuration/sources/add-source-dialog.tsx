import { useState } from 'preact/hooks';
import { api, ask, part } from '../../../api.ts';
import { inBackground } from '../../../background.ts';
import { useAction } from '../../../loading.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../../parts/field.tsx';
import { Form } from '../../../parts/form.tsx';
import { Notice, ProblemNotice } from '../../../parts/notice.tsx';
import { Table } from '../../../parts/table.tsx';
import { useToast } from '../../../parts/toasts.tsx';
import { useSite } from '../../../site.tsx';
import { counted, countText } from '../../../words.ts';
import { outcomeWords } from './outcomes.ts';

const shownMost = 10;
const usualBackfill = '10';

type Preview = Awaited<ReturnType<typeof readPreview>>;

interface AddSourceProps {
  readonly onAdded: () => void;
  readonly onClose: () => void;
}

/** First the address, then what the feed holds, then it is taken. */
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
    await ask(
      api.sites({ site: part(site.slug) }).sources.post({
        url,
        backfill: Number(backfill),
        visibility: isPublic ? 'public' : 'private',
      }),
    );
    tell('The feed is fetched from now on');
    onAdded();
  });
  const address = (
    <TextField
      label="Address of the feed"
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
      <Dialog title="Add a feed" onClose={onClose}>
        <Form
          action={{ ...look, run: () => look.run(backfill) }}
          submit="Look at it"
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
    <Dialog title="Add a feed" onClose={onClose} isWide>
      <Form action={add} submit="Take posts from it" fields={['url']} onCancel={onClose}>
        {address}
        <Found preview={preview} />
        <ProblemNotice problem={look.problem} />
        <SelectField
          label="Of what is there already"
          value={backfill}
          onValue={(most) => {
            setBackfill(most);
            inBackground(look.run(most));
          }}
          options={[
            { value: '0', label: 'Nothing becomes a post: only what is new from now on' },
            { value: '1', label: 'The newest becomes a post' },
            { value: '10', label: 'The newest 10 become posts' },
            { value: '25', label: 'The newest 25 become posts' },
            { value: '100', label: 'The newest 100 become posts' },
          ]}
        />
        <CheckField
          label="Its posts are public"
          hint="Off: players find them only when you publish them one by one."
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
        <strong>{title ?? 'A feed without a title'}</strong> ({format.toUpperCase()}) holds{' '}
        {counted(item_count, 'item')}; {posts === 0 ? 'none' : countText(posts)} would become{' '}
        {posts === 1 ? 'a post' : 'posts'} at once.
      </p>
      {items.length === 0 ? (
        <Notice>
          <p>It is empty just now. What comes from now on becomes posts.</p>
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
              cell: ({ text_length }) => countText(text_length),
            },
            {
              title: 'Becomes',
              cell: ({ outcome }) => {
                const { kind, word } = outcomeWords(outcome);
                return <Badge kind={kind}>{word}</Badge>;
              },
            },
          ]}
        />
      )}
      {others > 0 && <p class="hint">And {counted(others, 'older item')}.</p>}
    </div>
  );
}

function readPreview(slug: string, url: string, backfill: number) {
  return ask(api.sites({ site: part(slug) }).sources.preview.post({ url, backfill }));
}
