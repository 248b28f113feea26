import { useState } from 'preact/hooks';
import { api, ask, encodeSegment, publicUrl } from '../../../api.ts';
import { CopyLine } from '../../../components/copy.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { Card } from '../../../components/page.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { useAction, useQuery } from '../../../query.ts';
import { useSite } from '../../../site.tsx';
import { stripFieldPrefix } from '../field-names.ts';
import { podcastCategories } from './categories.ts';

/** The podcast feed of a site. */
export function PodcastSection() {
  const { site } = useSite();
  const [domain = ''] = site.domains;
  const address = `${publicUrl}/v1/public/feed.xml?domain=${encodeURIComponent(domain)}`;
  return (
    <>
      <Card
        title="Podcast feed"
        about="Each public post with audio is an episode. Submit the feed URL to podcast directories, and link it from your pages."
      >
        {site.feed.enabled ? (
          <>
            <CopyLine label="Feed URL" text={address} />
            <p class="beneath">
              For another language, add <code>&amp;lang=de</code>. For the head of your pages:
            </p>
            <CopyLine
              label="HTML for the head of your pages"
              text={`<link rel="alternate" type="application/rss+xml" title="${site.name.replaceAll('"', '&quot;')}" href="${address.replaceAll('&', '&amp;')}">`}
            />
          </>
        ) : (
          <p>The feed is disabled. Its URL returns 404.</p>
        )}
      </Card>
      <Card title="Feed details">
        <FeedForm />
      </Card>
    </>
  );
}

function FeedForm() {
  const { site, canEdit, reload } = useSite();
  const tell = useToast();
  const [fields, setFields] = useState(site.feed);
  const set = (changed: Partial<typeof fields>) => setFields({ ...fields, ...changed });
  const categories = useQuery(podcastCategories, []);
  const save = useAction(async () => {
    await ask(() => api.sites({ site: encodeSegment(site.slug) }).patch({ feed: fields }));
    tell('Podcast feed saved');
    reload();
  });
  const problem = stripFieldPrefix('feed', save.problem);
  return (
    <Form
      action={{ ...save, problem }}
      submit="Save feed"
      fields={['title', 'description', 'author', 'email', 'image_url', 'link', 'copyright']}
      isReadOnly={!canEdit}
    >
      <CheckField
        label="Podcast feed enabled"
        hint="When disabled, subscribers get no new episodes and directories remove the feed after a while."
        isChecked={fields.enabled}
        onChecked={(enabled) => set({ enabled })}
      />
      <TextField
        label="Title"
        name="title"
        placeholder={site.name}
        problem={problem}
        value={fields.title}
        onValue={(title) => set({ title })}
      />
      <TextArea
        label="Description"
        name="description"
        class="short"
        hint="Empty: a default sentence with the site name."
        problem={problem}
        value={fields.description}
        onValue={(description) => set({ description })}
      />
      <TextField
        label="Author"
        name="author"
        placeholder={site.name}
        problem={problem}
        value={fields.author}
        onValue={(author) => set({ author })}
      />
      <SelectField
        label="Category"
        value={fields.category}
        onValue={(category) => set({ category: (categories.value ?? []).find((one) => one === category) ?? 'News' })}
        hint="Apple Podcasts category, also used by other directories."
        options={(categories.value ?? [fields.category]).map((value) => ({ value, label: value }))}
      />
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        hint="Directories send a verification code to this address. The feed makes it public; you can remove it after verification."
        problem={problem}
        value={fields.email}
        onValue={(email) => set({ email })}
      />
      <TextField
        label="Cover image"
        name="image_url"
        type="url"
        placeholder="https://"
        hint="URL of a square JPEG or PNG, 1400 to 3000 pixels. Empty: a default image."
        problem={problem}
        value={fields.image_url}
        onValue={(image_url) => set({ image_url })}
      />
      <TextField
        label="Website"
        name="link"
        type="url"
        placeholder={`https://${site.domains[0] ?? ''}/`}
        problem={problem}
        value={fields.link}
        onValue={(link) => set({ link })}
      />
      <TextField
        label="Copyright"
        name="copyright"
        problem={problem}
        value={fields.copyright}
        onValue={(copyright) => set({ copyright })}
      />
      <CheckField label="Explicit content" isChecked={fields.explicit} onChecked={(explicit) => set({ explicit })} />
    </Form>
  );
}
