import { useState } from 'preact/hooks';
import { ApiError, toSameOrigin } from '../../api.ts';
import { LinkButton } from '../../components/button.tsx';
import { Card, ErrorNotice } from '../../components/page.tsx';
import { Facts, Status } from '../../components/status.tsx';
import { formatBytes, formatCount, formatDateTime, formatDuration } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { CertificateDrawer } from './certificate-drawer.tsx';
import { countLeftOut } from './left-out.ts';
import { servedOf } from './post-state.ts';
import { type AudioDetail, type Certificate, fetchCertificate } from './posts-api.ts';

/** What the audio consists of, whether it is complete, and its files. */
export function AudioCard({ audio }: { readonly audio: AudioDetail }) {
  const { site } = useSite();
  const served = servedOf(audio);
  const certificate = useQuery(
    () => (served === undefined ? Promise.resolve(undefined) : certificateOf(site.slug, audio)),
    [site.slug, audio.id, served?.audio_url],
  );
  const [isOpen, setIsOpen] = useState(false);
  const proof = certificate.value?.certificate;
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
            <button type="button" class="link" onClick={() => setIsOpen(true)}>
              Certificate
            </button>
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
      {isOpen && certificate.value !== undefined && (
        <CertificateDrawer of={certificate.value} onClose={() => setIsOpen(false)} />
      )}
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
  try {
    return await fetchCertificate(slug, post_id, language, main ? undefined : voice.id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
