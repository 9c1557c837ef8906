import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.StringWrapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * Formats the Java sources of all modules in one process, or checks that they are formatted.
 *
 * <p>Usage: {@code java FormatSources.java check|write FOLDER}. Exit status 1 with the list of files if a check fails.
 */
final class FormatSources {
    private static final List<String> SOURCE_FOLDERS = List.of("src/main/java", "src/test/java");
    private static final int MAX_PASSES = 4;

    private FormatSources() {}

    public static void main(String[] arguments) throws IOException {
        boolean write = arguments[0].equals("write");
        Path root = Path.of(arguments[1]);
        Formatter formatter =
                new Formatter(JavaFormatterOptions.builder().style(JavaFormatterOptions.Style.AOSP).build());
        ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();
        sources(root).parallelStream().forEach(file -> format(formatter, file, write, root, problems));
        problems.stream().sorted().forEach(System.err::println);
        if (!problems.isEmpty()) {
            System.err.println(problems.size() + " files; to format them: mvn -N -Pformat initialize");
            System.exit(1);
        }
    }

    private static List<Path> sources(Path root) throws IOException {
        try (Stream<Path> modules = Files.walk(root, 2)) {
            List<Path> folders = modules.filter(module -> Files.exists(module.resolve("pom.xml")))
                    .flatMap(module -> SOURCE_FOLDERS.stream().map(module::resolve))
                    .filter(Files::isDirectory)
                    .toList();
            return folders.stream().flatMap(FormatSources::javaFiles).toList();
        }
    }

    private static Stream<Path> javaFiles(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Formats until nothing changes: wrapping a string or a comment can move the code around it. */
    private static String format(Formatter formatter, String source) throws FormatterException {
        String formatted = source;
        for (int pass = 0; pass < MAX_PASSES; pass++) {
            String before = formatted;
            formatted = StringWrapper.wrap(formatter.formatSourceAndFixImports(before), formatter);
            if (formatted.equals(before)) {
                break;
            }
        }
        return formatted;
    }

    private static void format(
            Formatter formatter, Path file, boolean write, Path root, ConcurrentLinkedQueue<String> problems) {
        try {
            String source = Files.readString(file);
            String formatted = format(formatter, source);
            if (formatted.equals(source)) {
                return;
            }
            if (write) {
                Files.writeString(file, formatted);
            } else {
                problems.add("not formatted: " + root.relativize(file));
            }
        } catch (FormatterException e) {
            problems.add(root.relativize(file) + ": " + e.getMessage());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
