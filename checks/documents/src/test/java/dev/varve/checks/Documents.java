package dev.varve.checks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The documents for users, operators and contributors. */
final class Documents {
    private static final Path ROOT = Path.of(System.getProperty("varve.test.root"));

    private Documents() {}

    /** Returns all of them, in the order of their paths. */
    static List<Path> all() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
                                    .map(ROOT::resolve),
                            docs.filter(each -> each.toString().endsWith(".md")))
                    .sorted()
                    .toList();
        }
    }

    /** Returns the path of a document in the repository. */
    static String name(Path document) {
        return ROOT.relativize(document).toString();
    }
}
