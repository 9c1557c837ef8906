import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Prints the slowest test classes of a build, and fails if the unit tests of all modules together
 * take too much processor time. Time that passes would depend on what else the machine does.
 *
 * <p>Arguments: the root of the project, when the build began, and the most seconds.
 */
final class TestTimes {
    private static final int SHOWN = 20;

    /** Modules whose tests compare with libllama, start the installation, or read documents. */
    private static final Set<String> NOT_UNIT =
            Set.of("conformance", "dist", "e2e", "client-node", "client-spring-ai", "checks");

    private TestTimes() {}

    /** A line of a report. */
    private record Times(String module, String name, long millis, long processorMillis) {}

    /** See the class. */
    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]);
        Instant begin = Instant.parse(args[1]);
        long most = Long.parseLong(args[2]) * 1000;
        List<Times> all = new ArrayList<>();
        try (Stream<Path> modules = Files.walk(root, 2)) {
            for (Path module : modules.filter(each -> has(each)).toList()) {
                read(root, module, begin, all);
            }
        }
        if (all.isEmpty()) {
            return;
        }
        all.sort(Comparator.comparingLong(Times::millis).reversed());
        System.out.println("Slowest test classes, in seconds, and with processor time:");
        all.stream()
                .limit(SHOWN)
                .forEach(
                        each ->
                                System.out.println(
                                        String.format(
                                                Locale.ROOT,
                                                "%7.1f %7.1f  %s %s",
                                                each.millis / 1e3,
                                                each.processorMillis / 1e3,
                                                each.module,
                                                each.name)));
        List<Times> unit = all.stream().filter(each -> isUnit(each.module)).toList();
        long processor = unit.stream().mapToLong(Times::processorMillis).sum();
        System.out.println(
                String.format(
                        Locale.ROOT,
                        "Unit tests: %d classes, %.1f s, processor time %.1f s of at most %.0f s",
                        unit.size(),
                        unit.stream().mapToLong(Times::millis).sum() / 1e3,
                        processor / 1e3,
                        most / 1e3));
        if (processor > most) {
            System.err.println(
                    "The unit tests take too long: shorten one, or make it @Tag(\"nightly\").");
            System.exit(1);
        }
    }

    private static boolean isUnit(String module) {
        return NOT_UNIT.stream().noneMatch(each -> Path.of(module).startsWith(each));
    }

    private static boolean has(Path module) {
        return Files.isDirectory(module.resolve("target/test-times"));
    }

    private static void read(Path root, Path module, Instant begin, List<Times> all)
            throws IOException {
        try (Stream<Path> files = Files.list(module.resolve("target/test-times"))) {
            for (Path file : files.toList()) {
                if (Files.getLastModifiedTime(file).toInstant().isBefore(begin)) {
                    continue;
                }
                for (String line : Files.readAllLines(file)) {
                    String[] words = line.split("\t");
                    all.add(
                            new Times(
                                    root.relativize(module).toString(),
                                    words[0],
                                    Long.parseLong(words[1]),
                                    Long.parseLong(words[2])));
                }
            }
        }
    }
}
