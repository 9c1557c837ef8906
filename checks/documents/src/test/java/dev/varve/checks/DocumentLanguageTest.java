package dev.varve.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.testkit.Effort;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.languagetool.JLanguageTool;
import org.languagetool.Language;
import org.languagetool.Languages;
import org.languagetool.MultiThreadedJLanguageTool;
import org.languagetool.rules.Rule;
import org.languagetool.rules.RuleMatch;
import org.languagetool.rules.patterns.AbstractPatternRule;
import org.languagetool.rules.spelling.SpellingCheckRule;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Spelling and grammar of the documents, in British English. The help of the commands is checked,
 * too: docs/flags.md has its sentences. By day, documents that passed an earlier build in this
 * folder are skipped, and rules for agreement within phrases are off.
 */
class DocumentLanguageTest {
    private static final int THREADS = 2;
    private static final String WORDS = "words.txt";
    private static final String RULES = "rules-off.txt";

    /** Folder of the build; documents are checked again after a clean build. */
    private static final Path PASSED =
            Path.of(
                    System.getProperty("varve.test.root"),
                    "checks/documents/target/passed-documents.txt");

    private static MultiThreadedJLanguageTool tool;

    @BeforeAll
    static void start() {
        tool = tool();
    }

    @AfterAll
    static void stop() {
        tool.shutdown();
    }

    @Test
    void documentsHaveNoMistakes() throws IOException {
        PassedDocuments passed =
                new PassedDocuments(
                        PASSED, DocumentLanguageTest.class, WORDS, RULES, "Prose.class");
        List<String> mistakes = new ArrayList<>();
        for (Path document : Documents.all()) {
            String text = Files.readString(document);
            if (!Effort.isFull() && passed.contains(text)) {
                continue;
            }
            List<String> found = mistakes(tool, document);
            mistakes.addAll(found);
            if (found.isEmpty()) {
                passed.add(text);
            }
        }
        passed.save();

        assertEquals(
                "",
                String.join("\n", mistakes),
                "Correct the sentences; add words of the field to "
                        + WORDS
                        + ", and rules against our style to "
                        + RULES
                        + " with the reason.");
    }

    @Test
    void mistakeIsFound() throws IOException {
        Prose prose =
                Prose.of(
                        "# A title\n\n"
                                + "The `flag` is the\n"
                                + "[exampel](x.md) of a\n"
                                + "mistake mistake.\n");

        List<RuleMatch> found = tool.check(prose.text());

        assertEquals(
                List.of("4 exampel", "5 mistake mistake"),
                found.stream()
                        .filter(match -> !prose.touchesName(match.getFromPos(), match.getToPos()))
                        .map(
                                match ->
                                        prose.line(match.getFromPos())
                                                + " "
                                                + prose.text()
                                                        .substring(
                                                                match.getFromPos(),
                                                                match.getToPos()))
                        .toList());
    }

    private static MultiThreadedJLanguageTool tool() {
        Language english = Languages.getLanguageForShortCode("en-GB");
        if (!Effort.isFull()) {
            // A few rules need phrases, and to find them takes a third of the time.
            english.setChunker(tokens -> {});
        }
        MultiThreadedJLanguageTool tool = new MultiThreadedJLanguageTool(english, THREADS);
        List<String> rules =
                entries(RULES).map(line -> line.substring(0, line.indexOf(' '))).toList();
        tool.disableRules(rules);
        if (!Effort.isFull()) {
            // disabled by what they are, since rules with one name differ
            tool.getAllActiveRules().stream()
                    .filter(rule -> needsPhrases(rule))
                    .forEach(rule -> tool.disableRule(rule.getFullId()));
        }
        List<String> words = entries(WORDS).toList();
        for (Rule rule : tool.getAllActiveRules()) {
            if (rule instanceof SpellingCheckRule spelling) {
                spelling.addIgnoreTokens(words);
            }
        }
        return tool;
    }

    private static boolean needsPhrases(Rule rule) {
        return rule instanceof AbstractPatternRule pattern
                && (hasPhrase(pattern)
                        || rule.getAntiPatterns().stream().anyMatch(each -> hasPhrase(each)));
    }

    private static boolean hasPhrase(AbstractPatternRule rule) {
        return rule.getPatternTokens() != null
                && rule.getPatternTokens().stream().anyMatch(each -> each.getChunkTag() != null);
    }

    private static List<String> mistakes(JLanguageTool tool, Path document) throws IOException {
        Prose prose = Prose.of(Files.readString(document));
        String text = prose.text();
        return tool.check(text).stream()
                .filter(match -> !prose.touchesName(match.getFromPos(), match.getToPos()))
                .map(
                        match ->
                                Documents.name(document)
                                        + ":"
                                        + prose.line(match.getFromPos())
                                        + ": \""
                                        + text.substring(match.getFromPos(), match.getToPos())
                                        + "\" "
                                        + match.getMessage()
                                        + " "
                                        + match.getSuggestedReplacements().stream()
                                                .limit(3)
                                                .toList()
                                        + " "
                                        + match.getRule().getFullId())
                .toList();
    }

    /** Returns the lines of a file that are neither empty nor comments. */
    private static Stream<String> entries(String file) {
        try (InputStream stream = DocumentLanguageTest.class.getResourceAsStream(file)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
