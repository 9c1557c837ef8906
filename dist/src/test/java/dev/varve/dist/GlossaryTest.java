package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The glossary names types that exist, and each term once. */
class GlossaryTest {
    private static final Path GLOSSARY =
            Path.of(System.getProperty("varve.test.root"), "docs", "glossary.md");

    private static final Pattern TYPE = Pattern.compile("`((?:[a-z]+\\.)+[A-Z]\\w+)`");
    private static final Pattern TERM = Pattern.compile("(?m)^\\| ([^|]+) \\|");

    @Test
    void everyTypeExists() throws IOException {
        List<String> types = found(TYPE);

        assertTrue(types.size() > 30, types.toString());
        for (String type : types) {
            String module = type.startsWith("api.") ? "dev.varve." : "dev.varve.platform.";
            assertDoesNotThrow(
                    () -> Class.forName(module + type, false, getClass().getClassLoader()));
        }
    }

    @Test
    void termsAreUniqueAndSorted() throws IOException {
        List<String> terms = found(TERM).stream().skip(1).toList();

        assertEquals(
                terms.stream().sorted(String.CASE_INSENSITIVE_ORDER).distinct().toList(), terms);
    }

    private static List<String> found(Pattern pattern) throws IOException {
        return pattern.matcher(Files.readString(GLOSSARY))
                .results()
                .map((MatchResult each) -> each.group(1))
                .toList();
    }
}
