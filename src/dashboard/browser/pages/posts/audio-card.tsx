import { ApiError, request, toSameOrigin } from '../../api.ts';
import { ActionButton } from '../../components/actions.tsx';
import { Button, CopyLine, LinkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Card, Chip, ErrorNotice, Facts, Status } from '../../components/page.tsx';
import { formatBytes, formatCount, formatDateTime, formatDuration, formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { countLeftOut, nameLeftOut } from './left-out.ts';
import { type AudioDetail, type Certificate, postOf, servedOf } from './posts-api.ts';

/** What the audio consists of, whether it is complete, and its files. */
export function AudioCard({ audio }: { readonly audio: AudioDetail }) {
  const { site } = useSite();
  const served = servedOf(audio);
  const certificate = useQuery(
    () => (served === undefined ? Promise.resolve(undefined) : certificateOf(site.slug, audio)),
    [site.slug, audio.id, served?.audio_url],
  );
  const { value } = certificate;
  const proof = value?.certificate;
  const made =
    proof === undefined
      ? formatDateTime(audio.updated_at)
      : `${formatDateTime(proof.made_at)}, version ${proof.version}`;
  return (
    <Card title="Audio" actions={proof !== undefined && <Status tone="good">Complete</Status>}>
      <div class="stack tight">
        <ErrorNotice problem={certificate.problem} />
        {proof !== undefined && (
          <p class="sub small">
            {completenessOf(proof)}{' '}
            <ActionButton
              kind="link"
              label="Certificate"
              dialog={({ onClose }) => value && <CertificateDrawer of={value} onClose={onClose} />}
            />
          </p>
        )}
        {served !== undefined && proof === undefined && !certificate.isLoading && certificate.problem === undefined && (
          <p class="sub small">This audio has no certificate. Regenerate it to get one.</p>
        )}
        <Facts
          class="small narrow"
          of={[
            ['Voice', audio.voice.name],
            served !== undefined && ['Length', formatDuration(served.duration_seconds)],
            ['Made', made],
            proof !== undefined && ['File', `${formatBytes(proof.sound.bytes)} · ${proof.sound.bit_rate_kbps} kbit/s`],
          ]}
        />
        {served !== undefined && (
          <div class="actions">
            <LinkButton isCompact icon="download" href={toSameOrigin(served.audio_url)} download label="MP3" />
            {site.timings_text && (
              <LinkButton
                isCompact
                href={toSameOrigin(served.segments_url).replace(/json$/, 'vtt')}
                download
                label="Transcript"
              />
            )}
            <LinkButton isCompact href={toSameOrigin(served.segments_url)} download label="Timings" />
          </div>
        )}
      </div>
    </Card>
  );
}

function completenessOf({ segments, left_out: leftOut }: Certificate['certificate']): string {
  const spoken = `${segments.length} of ${formatCount(segments.length, 'sentence')} ${segments.length === 1 ? 'is' : 'are'} spoken.`;
  const kinds = countLeftOut(leftOut);
  if (kinds === '') return `${spoken} Nothing is left out.`;
  return `${spoken} Left out: ${kinds}.`;
}

/** @returns undefined for audio without a certificate, from an older release */
async function certificateOf(slug: string, audio: AudioDetail): Promise<Certificate | undefined> {
  const { post_id, language, main, voice } = audio;
  const query = { language, ...(!main && { voice_id: voice.id }) };
  try {
    return await request(() => postOf(slug, post_id).certificate.get({ query }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Proof of the text that the audio contains. */
function CertificateDrawer({ of, onClose }: { readonly of: Certificate; readonly onClose: () => void }) {
  const { sha256, certificate } = of;
  const { segments, coverage, left_out: leftOut, sound, voices } = certificate;
  return (
    <Dialog title="Certificate" isDrawer onClose={onClose}>
      <div class="stack">
        <p class="sub">Written when the audio was generated. It can be verified against the MP3 without Lectern.</p>
        <Facts
          of={[
            [
              'Spoken',
              `${formatNumber(segments.length)} of ${formatCount(segments.length, 'sentence')}, ${formatCount(coverage.spoken_characters, 'character')}`,
            ],
            [
              'Voice',
              voices.map(({ id, name, license }) => (
                <div key={id}>
                  {name}
                  {license !== null && <span class="dim"> · {license}</span>}
                </div>
              )),
            ],
            ['Generated', `${formatDateTime(certificate.made_at)}, version ${certificate.version}`],
            [
              'Generator',
              `Lectern ${certificate.program}, engine ${certificate.engine}${certificate.speed === 1 ? '' : `, at speed ${certificate.speed}`}`,
            ],
            [
              'Audio format',
              `${formatDuration(sound.duration_ms / 1000)}, ${sound.bit_rate_kbps} kbit/s, ${formatNumber(sound.sample_rate_hz)} Hz`,
            ],
          ]}
        />
        {leftOut.length > 0 && (
          <details open>
            <summary>Left out ({formatNumber(leftOut.length)})</summary>
            <ul class="rows tight">
              {leftOut.map(({ text, reason }, index) => (
                <li key={index}>
                  <span class="grow serif">{text}</span> <Chip>{nameLeftOut(reason)}</Chip>
                </li>
              ))}
            </ul>
          </details>
        )}
        <details>
          <summary>Hashes (SHA-256)</summary>
          <Facts
            of={[
              ['Certificate', <CopyLine key="sha" label="SHA-256 of the certificate" text={sha256} />],
              ...certificate.source.map(
                ({ field, sha256: hash }) => [fieldWords[field], <code key={field}>{hash}</code>] as const,
              ),
              ...voices.map(
                ({ id, name, content_sha256: hash }) => [`Voice ${name}`, <code key={id}>{hash}</code>] as const,
              ),
            ]}
          />
        </details>
        <div class="actions">
          <Button icon="download" onClick={() => download(of)} label="Download JSON" />
        </div>
      </div>
    </Dialog>
  );
}

const fieldWords = {
  title: 'Title',
  content: 'Text',
  intro: 'Intro',
  outro: 'Outro',
  disclosure: 'Closing disclosure',
} as const;

/** Saves the API response unchanged, so that the documented verification works. */
function download(data: Certificate): void {
  const answer = JSON.stringify({ success: true, message: 'OK', data }, undefined, 2);
  const address = URL.createObjectURL(new Blob([answer], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `certificate-${data.sha256.slice(0, 12)}.json`;
  link.click();
  URL.revokeObjectURL(address);
}
