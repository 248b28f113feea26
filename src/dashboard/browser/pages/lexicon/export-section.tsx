import { LinkButton } from '../../parts/button.tsx';
import { Section } from '../../parts/page.tsx';
import { languageText } from '../../words.ts';
import { exportAddress, type LexiconOf } from './lexicon-api.ts';

interface ExportSectionProps {
  readonly of: LexiconOf;
  readonly languages: readonly string[];
}

export function ExportSection({ of, languages }: ExportSectionProps) {
  return (
    <Section
      title="Export"
      about="A table for spreadsheets with all entries, or W3C PLS for other speech programs, one language each. Both can be imported again."
    >
      <div class="actions">
        <LinkButton href={exportAddress(of, 'csv', undefined)} download>
          CSV
        </LinkButton>
        {languages.map((code) => (
          <LinkButton key={code} href={exportAddress(of, 'pls', code)} download>
            {`PLS, ${languageText(code)}`}
          </LinkButton>
        ))}
      </div>
    </Section>
  );
}
