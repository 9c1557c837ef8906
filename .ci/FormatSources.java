import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.StringWrapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * Formats the Java sources of all modules in one process, or checks that they are formatted.
 *
 * <p>Usage: {@code java FormatSources.java check|write FOLDER}. Exit status 1 with the list of files if a check fails.
 * The digests of formatted sources are kept in {@code target/tools/formatted.txt}, so that the next run reads only
 * sources that have changed.
 */
final class FormatSources {
    private static final List<String> SOURCE_FOLDERS = List.of("src/main/java", "src/test/java");
    private static final int MAX_PASSES = 4;

    private final Formatter formatter =
            new Formatter(JavaFormatterOptions.builder().style(JavaFormatterOptions.Style.AOSP).build());
    private final Set<String> formatted = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();
    private final Path root;
    private final boolean write;
    private final byte[] version;

    private FormatSources(Path root, boolean write) throws IOException, GeneralSecurityException {
        this.root = root;
        this.write = write;
        Path library = Path.of(System.getProperty("java.class.path"));
        Path program = root.resolve(".ci/FormatSources.java");
        this.version = sha256().digest((digest(library) + digest(program)).getBytes());
    }

    public static void main(String[] arguments) throws IOException, GeneralSecurityException {
        boolean write = arguments[0].equals("write");
        Path root = Path.of(arguments[1]);
        FormatSources run = new FormatSources(root, write);
        Path record = root.resolve("target/tools/formatted.txt");
        Set<String> earlier = Files.exists(record) ? Set.copyOf(Files.readAllLines(record)) : Set.of();
        sources(root).parallelStream().forEach(file -> run.process(file, earlier));
        Files.createDirectories(record.getParent());
        Files.write(record, run.formatted);
        run.report();
    }

    private void report() {
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

    private void process(Path file, Set<String> earlier) {
        try {
            String digest = digest(file);
            if (earlier.contains(digest) || format(file)) {
                formatted.add(earlier.contains(digest) ? digest : digest(file));
            }
        } catch (FormatterException e) {
            problems.add(root.relativize(file) + ": " + e.getMessage());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns whether the file is formatted now. */
    private boolean format(Path file) throws IOException, FormatterException {
        String source = Files.readString(file);
        String result = format(formatter, source);
        if (result.equals(source)) {
            return true;
        }
        if (write) {
            Files.writeString(file, result);
        } else {
            problems.add("not formatted: " + root.relativize(file));
        }
        return write;
    }

    private String digest(Path file) throws IOException, GeneralSecurityException {
        MessageDigest digest = sha256();
        if (version != null) {
            digest.update(version);
        }
        return HexFormat.of().formatHex(Arrays.copyOf(digest.digest(Files.readAllBytes(file)), 16));
    }

    private static MessageDigest sha256() throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256");
    }
}
