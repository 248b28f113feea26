import { LinkButton } from '../../components/button.tsx';
import { Section } from '../../components/page.tsx';
import { formatLanguage } from '../../format.ts';
import { buildExportUrl, type PronunciationScope } from './pronunciations-api.ts';

interface ExportSectionProps {
  readonly of: PronunciationScope;
  readonly languages: readonly string[];
}

export function ExportSection({ of, languages }: ExportSectionProps) {
  return (
    <Section
      title="Export"
      about="A table for spreadsheets with all entries, or W3C PLS for other speech programs, one language each. Both can be imported again."
    >
      <div class="actions">
        <LinkButton href={buildExportUrl(of, 'csv', undefined)} download>
          CSV
        </LinkButton>
        {languages.map((code) => (
          <LinkButton key={code} href={buildExportUrl(of, 'pls', code)} download>
            {`PLS, ${formatLanguage(code)}`}
          </LinkButton>
        ))}
      </div>
    </Section>
  );
}
