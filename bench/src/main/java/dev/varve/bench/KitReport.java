package dev.varve.bench;

import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Reports each result as soon as it is known: a line for people, and a line of JSON in a file, so
 * that a run that is interrupted keeps what it measured.
 */
final class KitReport {
    private static final PrintStream OUT = System.out;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Optional<Path> file;

    private KitReport(Optional<Path> file) {
        this.file = file;
    }

    /** Reports to the file of {@code --json}, if there is one. */
    static KitReport of(Map<String, String> flags) {
        return new KitReport(Optional.ofNullable(flags.get("--json")).map(Path::of));
    }

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    /** Prints a line. */
    void line(String format, Object... values) {
        OUT.println(String.format(Locale.ROOT, format, values));
        OUT.flush();
    }

    /** Appends an object to the file. */
    void json(ObjectNode object) throws IOException {
        if (file.isPresent()) {
            Files.writeString(
                    file.get(),
                    JSON.writeValueAsString(object) + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
    }
}
