import { useState } from 'preact/hooks';
import { request } from '../../api.ts';
import { Dialog, type DialogHandlers } from '../../components/dialog.tsx';
import { Form, useForm } from '../../components/form.tsx';
import { ErrorNotice } from '../../components/page.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatCount, formatNumber } from '../../format.ts';
import { runInBackground, useAction } from '../../query.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { Outcome } from './source-items.tsx';

const shownMost = 10;

type Preview = Awaited<ReturnType<typeof readPreview>>;

/** Previews the items of a feed before it is added. */
export function AddSource({ onDone, onClose }: DialogHandlers) {
  const { site, routes } = useSite();
  const tell = useToast();
  const [preview, setPreview] = useState<Preview>();
  const look = useAction(async (url: string, backfill: string) => {
    setPreview(await readPreview(routes, url, Number(backfill)));
  });
  const initial = { url: '', backfill: '10', visibility: 'public' };
  const form = useForm(initial, async ({ url, backfill, visibility }) => {
    const body = {
      url,
      backfill: Number(backfill),
      visibility: visibility === 'private' ? 'private' : 'public',
    } as const;
    await request(() => routes.sources.post(body));
    tell('Feed added');
    onDone();
  });
  const { url } = form.values;
  const isFound = preview !== undefined;
  const placeholder = `https://${site.domains[0] ?? 'www.example.org'}/feed`;
  const set = ({ url: typed, backfill, ...others }: Partial<typeof initial>) => {
    form.set({ ...others, ...(typed !== undefined && { url: typed }), ...(backfill !== undefined && { backfill }) });
    if (typed !== undefined) setPreview(undefined);
    if (backfill !== undefined) runInBackground(look.run(url, backfill));
  };
  const run = isFound ? form.run : () => look.run(url, form.values.backfill);
  return (
    <Dialog title="Add feed" onClose={onClose} isWide={isFound}>
      {isFound && <ErrorNotice problem={look.problem} />}
      <Form
        action={{ ...form, ...(!isFound && look), set, run }}
        of={[
          { name: 'url', label: 'Feed address', kind: 'url', placeholder },
          {
            name: 'backfill',
            label: 'Items that are there already',
            isShown: () => isFound,
            options: [
              { value: '0', label: 'Only new items become posts' },
              { value: '1', label: 'The newest becomes a post' },
              ...['10', '25', '100'].map((value) => ({ value, label: `The newest ${value} become posts` })),
            ],
          },
          {
            name: 'visibility',
            label: 'Posts',
            isShown: () => isFound,
            options: { public: 'Are public', private: 'Stay private until you publish them' },
          },
        ]}
        submit={isFound ? 'Add feed' : 'Show items'}
        canSubmit={url.trim() !== ''}
        onCancel={onClose}
      >
        {isFound && <Found preview={preview} />}
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
  return request(() => routes.sources.preview.post({ url, backfill }));
}
