import { api, fetchVoiceTest, request } from '../../api.ts';
import { type FieldSpecs, Form, isFilled, useForm } from '../../components/form.tsx';
import { Heading } from '../../components/page.tsx';
import { Paper, sample } from '../../components/paper.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { Split, Steps } from '../../components/split.tsx';
import { sitesChanged } from '../../frame/sites.ts';
import { links, navigate } from '../../location.ts';
import { useQuery } from '../../query.ts';
import { extractHost } from '../../site.tsx';
import { browserTimeZone } from '../../time-zone.ts';

/** The first site: its name and where its articles are. */
export function PaperPage() {
  const form = useForm({
    fields: {},
    initial: { name: '', domains: '' },
    send: async ({ name, domains }) => {
      const body = { name, domains: toDomains(domains), time_zone: browserTimeZone };
      const site = await request(() => api.sites.post(body));
      // For trying out. Where another site has it already, this one works without.
      await request(() => api.sites({ site: site.slug }).domains.post({ domain: 'localhost' })).catch(() => undefined);
      sitesChanged();
      navigate(links.firstListen(site.slug));
    },
  });
  const { name, domains } = form.values;
  const others = domains.trim() === '' ? [] : toDomains(domains).slice(1);
  const fields: FieldSpecs<typeof form.values> = {
    name: {
      label: 'Name of the paper',
      input: { autocomplete: 'organization' },
      hint: 'Listeners see it in their podcast app.',
    },
    domains: {
      label: 'Where its articles are',
      kind: 'code',
      placeholder: 'www.example.org',
      hint: `${others.length === 0 ? 'Also' : `Also on ${others.join(', ')}, and`} on localhost for trying out.`,
    },
  };
  return (
    <Split name="paper" result={<Result name={name.trim() || 'Your paper'} />}>
      <Steps at={1} />
      <Heading title="Which paper is this for?" />
      <p class="sub">Two lines. You can change both later.</p>
      <Form of={{ ...form, fields }} submit="Continue" canSubmit={isFilled} />
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
