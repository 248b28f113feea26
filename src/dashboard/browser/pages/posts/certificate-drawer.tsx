import { Button, CopyLine } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Chip, Facts } from '../../components/status.tsx';
import { formatCount, formatDateTime, formatDuration, formatNumber } from '../../format.ts';
import { nameLeftOut } from './left-out.ts';
import type { Certificate } from './posts-api.ts';

/** Proof of the text that the audio contains. */
export function CertificateDrawer({ of, onClose }: { readonly of: Certificate; readonly onClose: () => void }) {
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
