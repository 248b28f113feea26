import { useState } from 'preact/hooks';
import { ask } from '../../api.ts';
import { runInBackground } from '../../background.ts';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField, TextField, Toggle } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatCount, formatNumber } from '../../format.ts';
import { useAction } from '../../query.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { Outcome } from './source-items.tsx';

const shownMost = 10;
const usualBackfill = '10';

type Preview = Awaited<ReturnType<typeof readPreview>>;

/** Previews the items of a feed before it is added. */
export function AddSourceDialog({ onAdded, onClose }: { readonly onAdded: () => void; readonly onClose: () => void }) {
  const { site, routes } = useSite();
  const tell = useToast();
  const [url, setUrl] = useState('');
  const [backfill, setBackfill] = useState(usualBackfill);
  const [isPublic, setIsPublic] = useState(true);
  const [preview, setPreview] = useState<Preview>();
  const look = useAction(async (most: string) => setPreview(await readPreview(routes, url, Number(most))));
  const add = useAction(async () => {
    const visibility = isPublic ? 'public' : 'private';
    await ask(() => routes.sources.post({ url, backfill: Number(backfill), visibility }));
    tell('Feed added');
    onClose();
    onAdded();
  });
  const isFound = preview !== undefined;
  return (
    <Dialog title="Add feed" onClose={onClose} isWide={isFound}>
      <Form
        action={isFound ? add : { ...look, run: () => look.run(backfill) }}
        submit={isFound ? 'Add feed' : 'Show items'}
        fields={['url']}
        canSubmit={url.trim() !== ''}
        onCancel={onClose}
      >
        <TextField
          label="Feed address"
          name="url"
          type="url"
          placeholder={`https://${site.domains[0] ?? 'www.example.org'}/feed`}
          autocomplete="off"
          spellcheck={false}
          problem={isFound ? add.problem : look.problem}
          value={url}
          onValue={(given) => {
            setUrl(given);
            setPreview(undefined);
          }}
        />
        {isFound && (
          <>
            <Found preview={preview} />
            <ErrorNotice problem={look.problem} />
            <SelectField
              label="Items that are there already"
              value={backfill}
              onValue={(most) => {
                setBackfill(most);
                runInBackground(look.run(most));
              }}
              options={[
                { value: '0', label: 'Only new items become posts' },
                { value: '1', label: 'The newest becomes a post' },
                ...['10', '25', '100'].map((value) => ({ value, label: `The newest ${value} become posts` })),
              ]}
            />
            <Toggle
              label="Publish posts"
              hint="Off: posts stay private until you publish them."
              isChecked={isPublic}
              onChecked={setIsPublic}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}

function Found({ preview: { title, format, item_count, items } }: { readonly preview: Preview }) {
  const posts = items.filter(({ outcome }) => outcome === 'queued').length;
  return (
    <div class="stack tight">
      <p>
        <b>{title ?? 'Untitled feed'}</b> ({format.toUpperCase()}) contains {formatCount(item_count, 'item')}. New
        posts: {formatNumber(posts)}.
      </p>
      <ul class="card rows tight">
        {items.slice(0, shownMost).map(({ guid, title: name, excerpt, outcome }) => (
          <li key={guid}>
            <span class="grow">
              <span class="headline">{name ?? guid}</span>
              <span class="line cut">{excerpt}</span>
            </span>
            <Outcome outcome={outcome} />
          </li>
        ))}
      </ul>
      {item_count > shownMost && <p class="hint">And {formatCount(item_count - shownMost, 'older item')}.</p>}
    </div>
  );
}

function readPreview(routes: SiteRoutes, url: string, backfill: number) {
  return ask(() => routes.sources.preview.post({ url, backfill }));
}
