package dev.varve.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.languagetool.JLanguageTool;
import org.languagetool.Languages;
import org.languagetool.MultiThreadedJLanguageTool;
import org.languagetool.rules.Rule;
import org.languagetool.rules.RuleMatch;
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
 * too: docs/flags.md has its sentences.
 */
class DocumentLanguageTest {
    private static final int THREADS = 2;
    private static final String WORDS = "words.txt";
    private static final String RULES = "rules-off.txt";

    private final MultiThreadedJLanguageTool tool = tool();

    @AfterEach
    void stop() {
        tool.shutdown();
    }

    @Test
    void documentsHaveNoMistakes() throws IOException {
        List<String> mistakes = new ArrayList<>();
        for (Path document : Documents.all()) {
            mistakes.addAll(mistakes(tool, document));
        }

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
        MultiThreadedJLanguageTool tool =
                new MultiThreadedJLanguageTool(Languages.getLanguageForShortCode("en-GB"), THREADS);
        List<String> rules =
                entries(RULES).map(line -> line.substring(0, line.indexOf(' '))).toList();
        tool.disableRules(rules);
        List<String> words = entries(WORDS).toList();
        for (Rule rule : tool.getAllActiveRules()) {
            if (rule instanceof SpellingCheckRule spelling) {
                spelling.addIgnoreTokens(words);
            }
        }
        return tool;
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
