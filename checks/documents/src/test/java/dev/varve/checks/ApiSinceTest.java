package dev.varve.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Each public type of the API for programs says in which version it appeared. */
class ApiSinceTest {
    private static final Path ROOT = Path.of(System.getProperty("varve.test.root"));

    /** The comment before a type that is neither nested nor hidden, and the start of the type. */
    private static final Pattern TYPE =
            Pattern.compile(
                    "^/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n(?:@.*\\n)*"
                            + "public (?:(?:final|sealed|abstract|non-sealed) )*"
                            + "(?:class|record|interface|enum|@interface) ",
                    Pattern.MULTILINE);

    private static final Pattern PUBLIC = Pattern.compile("^public ", Pattern.MULTILINE);
    private static final Pattern SINCE =
            Pattern.compile("^ \\* @since (\\d+\\.\\d+\\.\\d+)$", Pattern.MULTILINE);

    @ParameterizedTest
    @ValueSource(strings = {"api/error", "embedded", "langchain4j", "spring-boot-starter"})
    void everyPublicTypeNamesItsFirstVersion(String module) throws IOException {
        List<Path> sources = publicSources(module);

        assertTrue(!sources.isEmpty(), module + " has no public type");
        assertEquals(List.of(), sources.stream().filter(source -> !hasVersion(source)).toList());
    }

    private static List<Path> publicSources(String module) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> PUBLIC.matcher(text(file)).find())
                    .sorted()
                    .toList();
        }
    }

    private static boolean hasVersion(Path source) {
        Matcher type = TYPE.matcher(text(source));
        return type.find() && SINCE.matcher(type.group(1)).find();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
