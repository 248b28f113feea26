import { Button } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy.tsx';
import { Card } from '../../components/page.tsx';
import { formatCount, formatDateTime, formatDuration, formatNumber } from '../../format.ts';
import { LeftOutList } from './left-out.tsx';
import type { Certificate } from './posts-api.ts';

/** Summary of the certificate, with a download. */
export function CertificateSection({ of }: { readonly of: Certificate }) {
  const { sha256, certificate } = of;
  const { segments, coverage, left_out: leftOut, sound, voices } = certificate;
  return (
    <Card
      title="Certificate"
      about="Proof of the text the audio contains, written when the audio was generated. It can be verified against the MP3 without Lectern."
      actions={<Button onClick={() => download(of)}>Download JSON</Button>}
    >
      <div class="certificate card">
        <p class="certificate-claim">
          <strong>
            {formatNumber(segments.length)} of {formatCount(segments.length, 'sentence')} spoken
          </strong>
          , all {formatNumber(coverage.spoken_characters)} characters.{' '}
          {leftOut.length === 0
            ? 'No text was excluded.'
            : `${formatCount(leftOut.length, 'passage')} ${leftOut.length === 1 ? 'was' : 'were'} excluded.`}
        </p>
        <dl class="facts">
          <dt>Voice</dt>
          <dd>
            {voices.map(({ id, name, license }) => (
              <div key={id}>
                {name}
                {license !== null && <span class="soft"> · {license}</span>}
              </div>
            ))}
          </dd>
          <dt>Generated</dt>
          <dd>
            {formatDateTime(certificate.made_at)}, version {certificate.version}
          </dd>
          <dt>Generator</dt>
          <dd>
            Lectern {certificate.program}, engine {certificate.engine}
            {certificate.speed !== 1 && `, at speed ${certificate.speed}`}
          </dd>
          <dt>Audio format</dt>
          <dd>
            {formatDuration(sound.duration_ms / 1000)}, {sound.bit_rate_kbps} kbit/s,{' '}
            {formatNumber(sound.sample_rate_hz)} Hz
          </dd>
        </dl>
        <details>
          <summary>Hashes (SHA-256)</summary>
          <dl class="facts hashes">
            <dt>Certificate</dt>
            <dd>
              <CopyLine label="SHA-256 of the certificate" text={sha256} />
            </dd>
            {certificate.source.map(({ field, sha256: hash }) => (
              <>
                <dt>{fieldWords[field]}</dt>
                <dd>
                  <code>{hash}</code>
                </dd>
              </>
            ))}
            {voices.map(({ id, name, content_sha256: hash }) => (
              <>
                <dt key={id}>Voice {name}</dt>
                <dd>
                  <code>{hash}</code>
                </dd>
              </>
            ))}
          </dl>
        </details>
        {leftOut.length > 0 && (
          <details>
            <summary>Excluded text with reasons ({formatNumber(leftOut.length)})</summary>
            <LeftOutList items={leftOut} />
          </details>
        )}
      </div>
    </Card>
  );
}

const fieldWords = {
  title: 'Submitted title',
  content: 'Submitted text',
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
