import { api, fetchVoiceTest, request } from '../../api.ts';
import { Form, useForm } from '../../components/form.tsx';
import { Paper, sample } from '../../components/paper.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { Split, Steps } from '../../components/split.tsx';
import { sitesChanged } from '../../frame/sites.ts';
import { links, navigate } from '../../location.ts';
import { useQuery } from '../../query.ts';
import { browserTimeZone } from '../../time-zone.ts';
import { extractHost } from '../server/site-dialog.tsx';

/** The first site: its name and where its articles are. */
export function PaperPage() {
  const form = useForm({ name: '', domains: '' }, async ({ name, domains }) => {
    const site = await request(() => api.sites.post({ name, domains: toDomains(domains), time_zone: browserTimeZone }));
    // For trying out. Where another site has it already, this one works without.
    await request(() => api.sites({ site: site.slug }).domains.post({ domain: 'localhost' })).catch(() => undefined);
    sitesChanged();
    navigate(links.firstListen(site.slug));
  });
  const { name, domains: host } = form.values;
  const domains = host.trim() === '' ? [] : toDomains(host).slice(1);
  return (
    <Split name="paper" result={<Result name={name} />}>
      <Steps at={1} />
      <h1>Which paper is this for?</h1>
      <p class="sub">Two lines. You can change both later.</p>
      <Form
        action={form}
        submit="Continue"
        canSubmit={form.isFilled}
        of={[
          {
            name: 'name',
            label: 'Name of the paper',
            input: { autocomplete: 'organization' },
            hint: 'Listeners see it in their podcast app.',
          },
          {
            name: 'domains',
            label: 'Where its articles are',
            kind: 'code',
            placeholder: 'www.example.org',
            hint: `${domains.length === 0 ? 'Also' : `Also on ${domains.join(', ')}, and`} on localhost for trying out.`,
          },
        ]}
      />
    </Split>
  );
}

/** Readers come to a host with and without `www`. */
function toDomains(given: string): string[] {
  const host = extractHost(given.trim()).toLowerCase();
  if (host.startsWith('www.')) return [host, host.slice('www.'.length)];
  return host.split('.').length === 2 ? [host, `www.${host}`] : [host];
}

/** Preview of an article page, with the first installed voice. */
function Result({ name }: { readonly name: string }) {
  const voices = useQuery(() => request(() => api.voices.get()), []);
  const voice = voices.value?.voices.find(({ language }) => language === 'en') ?? voices.value?.voices[0];
  const text = sample.paragraphs.join(' ');
  return (
    <>
      <Paper
        name={name}
        headline={sample.title}
        paragraphs={sample.paragraphs}
        player={
          voice !== undefined && (
            <div class="row hear">
              <PlayButton isBig label={sample.title} source={() => fetchVoiceTest(voice.id, { text })} />
              <span>
                Listen to this article
                <br />
                read by {voice.name}, a synthetic voice
              </span>
            </div>
          )
        }
      />
      <p class="small">What your readers get.{voice !== undefined && ` Press play: this is ${voice.name}.`}</p>
    </>
  );
}
